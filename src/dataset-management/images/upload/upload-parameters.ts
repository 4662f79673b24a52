import * as z from 'zod';
import { idempotencyKey } from '../../envelope/input-parameters.ts';
import { file, part, text } from './form-parameters.ts';

const number = (sent: unknown): number | undefined =>
  typeof sent === 'string' && /^\s*\d{1,9}\s*$/.test(sent) ? Number(sent) : undefined;

/** The parameters of an upload. */
export const uploadRequest = z.object({
  'Idempotency-Key': idempotencyKey(
    'The same upload with the same key adds no second image for 24 hours.',
    'photo-4711',
  ),
  DatasetId: part(text, 'The dataset.', { format: 'uuid', required: true }),
  FileName: part(text, 'Name of the file; a path in front of it is dropped.', {
    minLength: 1,
    required: true,
  }),
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
    maximum: 100_000,
  }),
  ImageId: part(
    text,
    'Encrypted workspaces: id of the new image, chosen by the client for Proof.',
    {
      format: 'uuid',
    },
  ),
  KeyNumber: part(
    // No key has the number 0: what is no number is that of no key, not left out.
    (sent) => (sent === undefined ? undefined : (number(sent) ?? 0)),
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
    maximum: 100_000,
  }),
});
