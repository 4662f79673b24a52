import type { SignedInContext } from '../../../core/context/context.ts';
import { loaderById, uncached } from '../../../core/lists/load-by-id.ts';
import { imagesLeft } from '../../content/content.sql.ts';

/** How many images are still encrypted under a key that is being left. */
export interface ImagesLeft {
  live: number;
  /** Deleted ones that can come back. */
  deleted: number;
}

const loader = loaderById(
  ({ db }: SignedInContext, ids: readonly string[]) => imagesLeft.rows(db, { ids }),
  uncached,
);

/** Counts the images of a workspace under the key that it is leaving. GraphQL `KeyRotation.imagesLeft`. */
export async function loadImagesLeft(
  ctx: SignedInContext,
  workspaceId: string,
): Promise<ImagesLeft> {
  return (await loader(ctx).load(workspaceId)) ?? { live: 0, deleted: 0 };
}
