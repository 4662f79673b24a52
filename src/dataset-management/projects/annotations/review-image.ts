import type { SignedInContext } from '../../../core/context/context.ts';
import type { DatasetImage } from '../../images/image.ts';
import { requireRight } from '../../workspaces/workspace.ts';
import { requireProjectImage } from './load-project-image.ts';

/** NONE: nobody has looked at the image; ANNOTATED: also with no annotation. */
export type ReviewState = 'NONE' | 'ANNOTATED' | 'ACCEPTED' | 'REJECTED';

/**
 * Sets the review state of an image in a project; annotators can't accept or reject. GraphQL `reviewImage`. Throws
 * NotFoundError, ForbiddenError.
 */
export async function reviewImage(
  ctx: SignedInContext,
  args: { projectId: string; imageId: string; state: ReviewState },
): Promise<DatasetImage> {
  const { userId } = ctx.viewer;
  const { project, image } = await requireProjectImage(ctx, args);
  const key = { projectId: project.id, imageId: image.id };
  const { imageReview } = ctx.db.prisma;
  if (args.state !== 'ANNOTATED') requireRight(image, 'change');
  if (args.state === 'NONE') await imageReview.deleteMany({ where: key });
  else {
    const review = { state: args.state, reviewedBy: userId, reviewedAt: new Date(ctx.clock()) };
    await imageReview.upsert({
      where: { projectId_imageId: key },
      create: { ...key, ...review },
      update: review,
    });
  }
  return image;
}
