import type * as z from 'zod';
import type { StagedBlob } from '../../../core/context/storage.ts';
import { readBy } from '../../../core/rest/parameter-values.ts';
import { parameter } from '../../../core/rest/request-schema.ts';
import type { ValueSchema } from '../../../core/rest/route.ts';

/** A part of a form that is streamed. Unusable values become undefined: the operation has the error codes. */
export function part<Value>(
  read: (sent: unknown) => Value,
  description: string,
  { required, ...schema }: ValueSchema & { required?: true } = {},
): z.ZodType<Value> {
  return parameter(readBy(read, { type: 'string', ...schema }), {
    in: 'body',
    description,
    ...(required && { required }),
  });
}

/** Reads a text. */
export const text = (sent: unknown): string | undefined =>
  typeof sent === 'string' ? sent : undefined;

const isStaged = (sent: unknown): sent is StagedBlob =>
  typeof sent === 'object' && sent !== null && 'discard' in sent;

/** Reads a file: null for a part that holds none, as in a request that is only explained. */
export const file = (sent: unknown): StagedBlob | null | undefined =>
  isStaged(sent) ? sent : sent === undefined ? undefined : null;
