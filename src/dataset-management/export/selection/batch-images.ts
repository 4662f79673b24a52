import { batchByBytes } from '../../content/batch-by-bytes.ts';
import type { ExportSource } from './export-source.ts';
import type { SelectedImage } from './select-images.ts';

/** Images, and annotations, that are in memory at once; an image is never divided. */
const BATCH = { images: 200, annotations: 4000 };

/** Ids of images to load together: few enough, and with few enough bytes of annotations, that memory stays flat. */
export async function* batchImages(
  source: Pick<ExportSource, 'bytesOf'>,
  images: readonly SelectedImage[],
): AsyncGenerator<string[], undefined> {
  for (const batch of batchByNumber(images))
    yield* batchByBytes(batch, await source.bytesOf(batch));
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
