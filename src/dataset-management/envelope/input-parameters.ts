import * as z from 'zod';
import { readBy } from '../../core/rest/parameter-values.ts';
import { parameter } from '../../core/rest/request-schema.ts';
import { isStorable } from '../../core/text.ts';
import { parseUuid } from '../../core/uuid.ts';
import type { DatasetErrorCode } from './error-codes.ts';

/** The schema of a request without parameters. */
export const noParameters = z.object({});

/** A required id, read as a UUID in lower case with hyphens; `missing` is the code for an absent one. */
export function idParameter(
  where: 'query' | 'body',
  description: string,
  missing: DatasetErrorCode = 'INVALID_ID',
): z.ZodType<string> {
  const error = ({ input }: { input?: unknown }): string =>
    input === undefined ? 'is required' : 'is not a UUID';
  const plain = (value: unknown): unknown =>
    value === '' ? undefined : typeof value === 'string' ? (parseUuid(value) ?? value) : value;
  return parameter(z.preprocess(plain, z.guid({ error })), {
    in: where,
    required: true,
    description,
    missing,
    unusable: 'INVALID_ID',
  });
}

/** The header Idempotency-Key; the operation validates it. */
export function idempotencyKey(description: string, example: string) {
  const read = (sent: unknown): string | undefined => (typeof sent === 'string' ? sent : undefined);
  return parameter(readBy(read, { type: 'string', minLength: 1, maxLength: 255 }), {
    in: 'header',
    description,
    example,
  });
}

/** Documentation of a text parameter; the operation validates it, with its own error codes. */
interface TextTable {
  minLength?: number;
  maxLength?: number;
  example?: string;
}

/** A text in the body that must be sent, if only empty. */
export function textParameter(description: string, table: TextTable = {}): z.ZodType<string> {
  return bodyText(usableText(table), description, table);
}

/** A text in the body that counts as empty when it is left out: the operation has a code for that. */
export function emptyTextParameter(description: string, table: TextTable = {}): z.ZodType<string> {
  const type = z.preprocess((value) => value ?? '', usableText(table));
  return bodyText(type, description, table);
}

function bodyText(
  type: z.ZodType<string>,
  description: string,
  { example }: TextTable,
): z.ZodType<string> {
  return parameter(type, {
    in: 'body',
    required: true,
    description,
    ...(example !== undefined && { example }),
  });
}

function usableText({ minLength, maxLength }: TextTable): z.ZodType<string> {
  const error = ({ input }: { input?: unknown }): string =>
    input === undefined ? 'is required' : 'is not usable text';
  return z
    .string({ error })
    .refine(isStorable, { error })
    .meta({
      ...(minLength !== undefined && { minLength }),
      ...(maxLength !== undefined && { maxLength }),
    });
}

/** A required integer from 1 in the query; `code` when it is absent or anything else. */
export function countParameter(
  description: string,
  table: { maximum?: number; example: number; code: DatasetErrorCode },
): z.ZodType<number> {
  const { maximum, example, code } = table;
  const error = `must be an integer from 1 to ${maximum ?? MAX_INT32}`;
  const integer = z.int({ error }).min(1, { error });
  const bounded =
    maximum === undefined
      ? integer.refine((value) => value <= MAX_INT32, { error })
      : integer.max(maximum, { error });
  const plain = (value: unknown): unknown =>
    typeof value === 'string' && /^[+-]?\d{1,10}$/.test(value.trim()) ? Number(value) : value;
  return parameter(z.preprocess(plain, bounded), {
    in: 'query',
    required: true,
    description,
    example,
    missing: code,
    unusable: code,
  });
}

const MAX_INT32 = 2_147_483_647;
