import { batchByBytes } from '../../content/batch-by-bytes.ts';
import type { ExportSource } from './export-source.ts';
import type { SelectedImage } from './select-images.ts';

/** Images, annotations, and bytes of annotations as JSON, that are in memory at once; an image is never divided. */
const BATCH = { images: 200, annotations: 4000, bytes: 1024 * 1024 };

/** Images to load together. */
export interface ImageBatch {
  ids: string[];
  /** One image, whose annotations have more bytes than a batch may have. */
  isLarge: boolean;
}

/** Parts images into batches that are small enough that memory stays flat, but for large images. */
export async function* batchImages(
  source: Pick<ExportSource, 'bytesOf'>,
  images: readonly SelectedImage[],
): AsyncGenerator<ImageBatch, undefined> {
  for (const batch of batchByNumber(images)) {
    const bytes = await source.bytesOf(batch);
    for (const ids of batchByBytes(batch, bytes, BATCH.bytes))
      yield { ids, isLarge: (bytes.get(ids[0] ?? '') ?? 0) > BATCH.bytes };
  }
  return undefined;
}

function* batchByNumber(images: readonly SelectedImage[]): Generator<string[], undefined> {
  let batch: string[] = [];
  let annotations = 0;
  for (const { id, annotationCount } of images) {
    const full = annotations + annotationCount > BATCH.annotations;
    if (batch.length > 0 && (full || batch.length === BATCH.images)) {
      yield batch;
      [batch, annotations] = [[], 0];
    }
    batch.push(id);
    annotations += annotationCount;
  }
  if (batch.length > 0) yield batch;
  return undefined;
}
