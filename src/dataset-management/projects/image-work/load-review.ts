import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../../core/context/context.ts';
import type { RowOf } from '../../../core/sql/types.ts';
import { imageReviews } from '../projects.sql.ts';

/** The work on an image in a project. */
export type ImageReview = Omit<RowOf<typeof imageReviews.row>, 'imageId'>;

/** Never cached: a document may change an image and then select its state. */
const loaders = perRequest(
  (ctx: SignedInContext) => (projectId: string) =>
    new DataLoader<string, ImageReview | null>(
      async (ids) => {
        const { userId } = ctx.viewer;
        const rows = await imageReviews.rows(ctx.db, { projectId, userId, ids });
        const byId = new Map(rows.map(({ imageId, ...review }) => [imageId, review]));
        return ids.map((id) => byId.get(id) ?? null);
      },
      { cache: false, maxBatchSize: 500 },
    ),
);
const known = perRequest(() => new Map<string, DataLoader<string, ImageReview | null>>());

/**
 * The work on an image that the viewer has been given, in a project; null if the viewer does not see the project, or the
 * image is in none of its datasets. All images of a list in one statement. GraphQL `DatasetImage.review`.
 */
export function loadReview(
  ctx: SignedInContext,
  args: { projectId: string; imageId: string },
): Promise<ImageReview | null> {
  const ofRequest = known(ctx);
  let loader = ofRequest.get(args.projectId);
  if (!loader) ofRequest.set(args.projectId, (loader = loaders(ctx)(args.projectId)));
  return loader.load(args.imageId);
}
