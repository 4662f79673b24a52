import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../../core/context/context.ts';
import { imagesLeft } from '../../content/content.sql.ts';

/** How many images are still encrypted under a key that is being left. */
export interface ImagesLeft {
  live: number;
  /** Deleted ones that can come back. */
  deleted: number;
}

const loader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<string, ImagesLeft>(
      async (ids) => {
        const found = await imagesLeft.rows(ctx.db, { ids: [...ids] });
        const byId = new Map(found.map((row) => [row.id, row]));
        return ids.map((id) => byId.get(id) ?? { live: 0, deleted: 0 });
      },
      { cache: false },
    ),
);

/** Counts the images of a workspace under the key that it is leaving. GraphQL `KeyRotation.imagesLeft`. */
export function loadImagesLeft(ctx: SignedInContext, workspaceId: string): Promise<ImagesLeft> {
  return loader(ctx).load(workspaceId);
}
