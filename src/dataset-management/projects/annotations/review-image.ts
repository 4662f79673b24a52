import type { SignedInContext } from '../../../core/context/context.ts';
import type { ReviewState } from '../../images/page-images.ts';
import type { DatasetImage } from '../../images/image.ts';
import { requireRight } from '../../workspaces/workspace.ts';
import { setReview } from '../projects.sql.ts';
import { changeWork, type WorkPlace } from './change-work.ts';
import { requireProjectImage } from './load-project-image.ts';

/**
 * Sets the review state of an image in a project; annotators can't accept or reject. GraphQL `reviewImage`. Throws
 * NotFoundError, ForbiddenError, ConflictError.
 */
export async function reviewImage(
  ctx: SignedInContext,
  args: WorkPlace & { state: ReviewState },
): Promise<DatasetImage> {
  const { project, image } = await requireProjectImage(ctx, args);
  if (args.state !== 'ANNOTATED') requireRight(image, 'change');
  return changeWork(ctx, args, async ({ db }) => {
    await setReview.rows(db, {
      projectId: project.id,
      imageId: image.id,
      state: args.state,
      userId: ctx.viewer.userId,
      now: new Date(ctx.clock()),
      work: false,
      changed: false,
      stays: [args.state],
    });
  });
}
