import type { SignedInContext } from '../../../core/context/context.ts';
import { MalformedFormError } from './form-parser.ts';
import { type Form, readForm } from './multipart.ts';
import { BlobTooLargeError, type StagedBlob } from '../../../core/context/storage.ts';
import { refusal } from '../../envelope/dataset-errors.ts';

/** Vector and padding that encryption adds. */
const CIPHER_OVERHEAD = 32;

/**
 * Streams the form of an upload into local files, at most MAX_IMAGE_BYTES each (and what encryption adds). Throws
 * ValidationError; then nothing is left.
 */
export async function receiveUpload(
  ctx: SignedInContext,
  contentType: string,
  body: AsyncIterable<Uint8Array>,
): Promise<Form<StagedBlob>> {
  return readForm(contentType, body, {
    files: ['image', 'thumbnail'],
    receive: (stream) => receiveFile(ctx, stream),
    drop: (file) => file.discard(),
  }).catch(explain);
}

/** The same for one file. */
export function receiveFile(
  ctx: SignedInContext,
  body: AsyncIterable<Uint8Array>,
): Promise<StagedBlob> {
  return ctx.storage
    .stage(body, { maxBytes: ctx.config.images.maxBytes + CIPHER_OVERHEAD })
    .catch(explain);
}

function explain(error: unknown): never {
  if (error instanceof BlobTooLargeError) throw refusal('IMAGE_TOO_LARGE', 'Image');
  if (error instanceof MalformedFormError) throw refusal('VALIDATION_ERROR', 'body', error.message);
  throw error;
}
