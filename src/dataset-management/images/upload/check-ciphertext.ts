import type { SignedInContext } from '../../../core/context/context.ts';
import type { StagedBlob } from '../../../core/context/storage.ts';
import { readFileInto } from '../../../core/files/read-file-into.ts';
import { EncryptionError } from '../../envelope/dataset-errors.ts';
import { findPlainText } from './find-plain-text.ts';

const IV_BYTES = 16;
/** Number of bytes of each file that are checked. */
const LOOKED_AT = 1_048_576;

export interface EncryptedParts {
  image: StagedBlob;
  thumbnail: StagedBlob | undefined;
  width: number | undefined;
  height: number | undefined;
}

/**
 * What can be seen of an upload to an encrypted workspace without its key (D-69): every part is there, has the length
 * of a vector and whole blocks, is no image that can be decoded and nothing else that is seen not to be random, and the
 * two vectors are neither zero nor equal. Throws EncryptionError.
 */
export async function checkCiphertext(
  ctx: SignedInContext,
  parts: EncryptedParts,
): Promise<{ thumbnail: StagedBlob; width: number; height: number }> {
  const { image, thumbnail, width = 0, height = 0 } = parts;
  if (!thumbnail || thumbnail.size === 0) throw new EncryptionError('THUMBNAIL_REQUIRED');
  if (!isDimension(width) || !isDimension(height)) throw new EncryptionError('DIMENSIONS_REQUIRED');
  // Not even without the checks: no key gives it.
  if (image.size === 0) throw new EncryptionError('NOT_ENCRYPTED_PAYLOAD', 'Image is empty');
  if (!ctx.config.images.checkEncrypted) return { thumbnail, width, height };
  const vectors: string[] = [];
  for (const [part, blob] of [
    ['Image', image],
    ['Thumbnail', thumbnail],
  ] as const) {
    const bytes = await firstBytes(blob);
    const vector = bytes.toString('hex', 0, IV_BYTES);
    const found = findPlainText(bytes);
    if (found !== undefined)
      throw new EncryptionError(
        'NOT_ENCRYPTED_PAYLOAD',
        `${part} is not encrypted: found ${found}`,
      );
    if (
      blob.size < 2 * IV_BYTES ||
      blob.size % IV_BYTES !== 0 ||
      /^0+$/.test(vector) ||
      (await ctx.imaging.isImage(blob.path, ctx.viewer.userId))
    )
      throw new EncryptionError('NOT_ENCRYPTED_PAYLOAD');
    vectors.push(vector);
  }
  if (vectors[0] === vectors[1])
    throw new EncryptionError(
      'NOT_ENCRYPTED_PAYLOAD',
      'Image and Thumbnail have the same initialisation vector',
    );
  return { thumbnail, width, height };
}

function isDimension(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 100_000;
}

async function firstBytes({ path, size }: StagedBlob): Promise<Buffer> {
  const bytes = Buffer.alloc(Math.min(size, LOOKED_AT));
  const filled = await readFileInto(path, bytes, 0);
  return bytes.subarray(0, filled);
}
