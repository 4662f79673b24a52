import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../../core/context/context.ts';
import { uncached } from '../../../core/lists/load-by-id.ts';
import type { RowOf } from '../../../core/sql/types.ts';
import { imageReviews } from '../projects.sql.ts';

/** The work on an image in a project. */
export type ImageReview = Omit<RowOf<typeof imageReviews.row>, 'imageId'>;

/** By project. */
const loaders = perRequest(() => new Map<string, DataLoader<string, ImageReview | null>>());

const makeLoader = ({ db, viewer: { userId } }: SignedInContext, projectId: string) =>
  new DataLoader<string, ImageReview | null>(async (ids) => {
    const rows = await imageReviews.rows(db, { projectId, userId, ids });
    const byId = new Map(rows.map(({ imageId, ...review }) => [imageId, review]));
    return ids.map((id) => byId.get(id) ?? null);
  }, uncached);

/**
 * The work on an image that the viewer has been given, in a project; null if the viewer does not see the project, or the
 * image is in none of its datasets. All images of a list in one statement. GraphQL `DatasetImage.review`.
 */
export function loadReview(
  ctx: SignedInContext,
  args: { projectId: string; imageId: string },
): Promise<ImageReview | null> {
  const known = loaders(ctx);
  const loader = known.get(args.projectId) ?? makeLoader(ctx, args.projectId);
  known.set(args.projectId, loader);
  return loader.load(args.imageId);
}
