import { z } from 'zod';
import type { StagedBlob } from '../../../core/context/storage.ts';
import { parameter } from '../../../core/rest/request-schema.ts';
import { readBy } from '../../../core/rest/parameter-values.ts';
import type { ValueSchema } from '../../../core/rest/route.ts';

/** A part of the form. Unusable values become undefined: the operation has the error codes. */
function part<Value>(
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

const text = (sent: unknown): string | undefined => (typeof sent === 'string' ? sent : undefined);

const number = (sent: unknown): number | undefined =>
  typeof sent === 'string' && /^\s*\d{1,9}\s*$/.test(sent) ? Number(sent) : undefined;

const isStaged = (sent: unknown): sent is StagedBlob =>
  typeof sent === 'object' && sent !== null && 'discard' in sent;

/** Null for a part that holds no file, as in a request that is only explained. */
const file = (sent: unknown): StagedBlob | null | undefined =>
  isStaged(sent) ? sent : sent === undefined ? undefined : null;

/** The parameters of an upload. */
export const uploadRequest = z.object({
  'Idempotency-Key': parameter(readBy(text, { type: 'string', minLength: 1, maxLength: 255 }), {
    in: 'header',
    description: 'The same upload with the same key adds no second image for 24 hours.',
    example: 'photo-4711',
  }),
  DatasetId: part(text, 'The dataset.', { format: 'uuid', required: true }),
  FileName: part(text, 'Name of the file.', { required: true }),
  Path: part(
    text,
    'Where the file is below the folder that is uploaded, relative, with slashes, at most 1024 bytes: only one image of a dataset has it. The same path with the same bytes again is that image. An extension.',
    { minLength: 1, maxLength: 1024 },
  ),
  Image: part(file, 'The file; encrypted in an encrypted workspace.', {
    format: 'binary',
    required: true,
  }),
  Thumbnail: part(file, 'Encrypted workspaces: 270 × 200, encrypted.', { format: 'binary' }),
  Width: part(number, 'Encrypted workspaces: width of the original.', {
    type: 'integer',
    minimum: 1,
  }),
  ImageId: part(
    text,
    'Encrypted workspaces: id of the new image, chosen by the client for Proof.',
    {
      format: 'uuid',
    },
  ),
  KeyNumber: part(
    number,
    'Encrypted workspaces: number of the key, as verifyWorkspaceKey gives it. Required once the workspace has changed its key.',
    { type: 'integer', minimum: 1 },
  ),
  Proof: part(
    text,
    'Encrypted workspaces: that a holder of the key made the image; trivium/e2ee makes it.',
    {
      minLength: 44,
      maxLength: 44,
    },
  ),
  ReplacesSha256: part(
    text,
    'Encrypted workspaces that change their key: this is the image ImageId under the new key, and replaces the bytes with this SHA-256.',
    { minLength: 64, maxLength: 64 },
  ),
  Height: part(number, 'Encrypted workspaces: height of the original.', {
    type: 'integer',
    minimum: 1,
  }),
});
