import type { SignedInContext } from '../../core/context/context.ts';
import { readPage } from '../../core/lists/read-list.ts';
import { imageList, type DatasetImage } from './image.ts';

/** The oldest other image of the dataset with the same bytes, if there is one. GraphQL `AddImagePayload.duplicateOf`. */
export async function findDuplicate(
  ctx: SignedInContext,
  image: DatasetImage,
): Promise<DatasetImage | null> {
  const { id, datasetId, bytes } = image;
  const query = imageList(ctx.viewer, {
    duplicatesOf: { id, datasetId, storageKey: bytes.storageKey },
  });
  const { rows } = await readPage(ctx, query, { limit: 1, backward: false });
  return rows[0] ?? null;
}
