import type { SignedInContext } from '../../../core/context/context.ts';
import { NotFoundError } from '../../../core/errors.ts';
import type { DatasetImage } from '../../images/image.ts';
import { requireImage } from '../../images/load-image.ts';
import { requireProject } from '../load-project.ts';

/** The project and an image of one of its datasets. Throws NotFoundError. */
export async function requireProjectImage(
  ctx: SignedInContext,
  args: { projectId: string; imageId: string },
): Promise<{ project: { id: string }; image: DatasetImage }> {
  const project = await requireProject(ctx, args.projectId);
  const image = await requireImage(ctx, args.imageId);
  const assigned = await ctx.db.prisma.projectDataset.count({
    where: { projectId: project.id, datasetId: image.datasetId },
  });
  if (assigned === 0) throw new NotFoundError('Image');
  return { project, image };
}
