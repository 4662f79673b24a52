import { inTransaction } from '../../../core/context/in-transaction.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { ConflictError, NotFoundError } from '../../../core/errors.ts';
import type { DatasetImage } from '../../images/image.ts';
import { forgetImages, requireImage } from '../../images/load-image.ts';
import { lockProjectImage, reviewVersion, shareProject } from '../projects.sql.ts';

export interface WorkPlace {
  projectId: string;
  imageId: string;
  /** What the image's work must have as version; undefined and null for any. */
  expectedVersion?: number | null | undefined;
}

/**
 * Runs a change of the work on an image in a project, in a transaction: two writers of one image wait for each other,
 * and the classes of the project stay as they are meanwhile. Returns the image. Throws NotFoundError for a project or
 * image that is gone, or that the viewer may no longer see, and ConflictError for another version than expected.
 */
export async function changeWork(
  ctx: SignedInContext,
  { projectId, imageId, expectedVersion }: WorkPlace,
  change: (tx: SignedInContext) => Promise<void>,
): Promise<DatasetImage> {
  await inTransaction(ctx, async (tx) => {
    // The project first and then the image, as changes of classes take them; the image before its trigger does.
    const { userId } = ctx.viewer;
    if (!(await shareProject.first(tx.db, { id: projectId, userId })))
      throw new NotFoundError('Project');
    if (!(await lockProjectImage.first(tx.db, { projectId, imageId })))
      throw new NotFoundError('Image');
    if (expectedVersion != null) {
      const { version = 0 } = (await reviewVersion.first(tx.db, { projectId, imageId })) ?? {};
      if (version !== expectedVersion) throw new ConflictError(version);
    }
    await change(tx);
  });
  forgetImages(ctx);
  return requireImage(ctx, imageId);
}
