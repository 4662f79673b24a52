import type { Context } from '../../../core/context/context.ts';
import { NotFoundError } from '../../../core/errors.ts';
import type { DatasetImage } from '../../images/image.ts';
import { requireImage } from '../../images/load-image.ts';
import { requireProject } from '../load-project.ts';

/** The project and an image of one of its datasets. Throws NotFoundError. */
export async function requireProjectImage(
  ctx: Context,
  args: { projectId: string; imageId: string },
): Promise<{ project: { id: string }; image: DatasetImage }> {
  const project = await requireProject(ctx, args.projectId);
  const image = await requireImage(ctx, args.imageId);
  const rows = await ctx.db.rows(
    'SELECT FROM project_dataset WHERE project_id = $1 AND dataset_id = $2',
    [project.id, image.datasetId],
  );
  if (rows.length === 0) throw new NotFoundError('Image');
  return { project, image };
}
