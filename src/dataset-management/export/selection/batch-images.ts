import { inBatches } from '../../content/in-batches.ts';
import type { ExportSource } from './export-source.ts';
import type { SelectedImage } from './select-images.ts';

/** Images, and annotations, that are in memory at once; an image is never divided. */
const BATCH = { items: 200, weight: 4000 };
/** Bytes of annotations as JSON that are; in memory they take several times as many. */
const MOST_BYTES = 1024 * 1024;

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
  for (const some of inBatches(images, BATCH, ({ annotationCount }) => annotationCount)) {
    const all = some.map(({ id }) => id);
    const bytes = await source.bytesOf(all);
    for (const ids of inBatches(all, { weight: MOST_BYTES }, (id) => bytes.get(id) ?? 0))
      yield { ids, isLarge: (bytes.get(ids[0] ?? '') ?? 0) > MOST_BYTES };
  }
  return undefined;
}
