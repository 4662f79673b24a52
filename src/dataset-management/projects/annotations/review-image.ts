import { requireViewer } from '../../../auth/guards.ts';
import type { Context } from '../../../core/context/context.ts';
import type { DatasetImage } from '../../images/image.ts';
import { requireRight } from '../../workspaces/workspace.ts';
import { requireProjectImage } from './load-project-image.ts';

/** NONE: nobody has looked at the image; ANNOTATED: also with no annotation. */
export type ReviewState = 'NONE' | 'ANNOTATED' | 'ACCEPTED' | 'REJECTED';

/** Sets how far an image of a project is; what annotators made is accepted or rejected by others. GraphQL `reviewImage`. Throws NotFoundError, ForbiddenError. */
export async function reviewImage(
  ctx: Context,
  args: { projectId: string; imageId: string; state: ReviewState },
): Promise<DatasetImage> {
  const { userId } = requireViewer(ctx);
  const { project, image } = await requireProjectImage(ctx, args);
  if (args.state !== 'ANNOTATED') requireRight(image, 'change');
  if (args.state === 'NONE')
    await ctx.db.rows('DELETE FROM image_review WHERE project_id = $1 AND image_id = $2', [
      project.id,
      image.id,
    ]);
  else {
    await ctx.db.rows(
      `INSERT INTO image_review (project_id, image_id, state, reviewed_by, reviewed_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (project_id, image_id) DO UPDATE SET state = excluded.state, reviewed_by = excluded.reviewed_by, reviewed_at = excluded.reviewed_at`,
      [project.id, image.id, args.state, userId, new Date(ctx.clock()).toISOString()],
    );
  }
  return image;
}
