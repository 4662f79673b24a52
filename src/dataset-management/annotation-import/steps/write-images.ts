import type { SignedInContext } from '../../../core/context/context.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { listAnnotationClasses } from '../../projects/annotations/list-annotation-classes.ts';
import { replaceAnnotations } from '../../projects/annotations/replace-annotations.ts';
import { lockImages, shareProject } from '../../projects/projects.sql.ts';
import { ImportFaults } from '../source/import-faults.ts';
import { checkImage } from './check-image.ts';
import type { ImportPlan } from './plan-import.ts';

/** A file that was right when it was checked fits no longer: an image or a class has gone. */
export class ChangedMeanwhileError extends Error {
  override name = 'ChangedMeanwhileError';
}

/**
 * Replaces the annotations of some images of a plan; returns how many images have others now: the rest keep their reviews. Must
 * run in a transaction, which it lets hold the project first and then the images by their ids, as every change of annotations
 * and classes does: so that two of them wait for each other, and never in a circle. Throws ChangedMeanwhileError, NotFoundError.
 */
export async function writeImages(
  tx: SignedInContext,
  projectId: string,
  images: ImportPlan['images'],
  onImage?: () => void,
): Promise<number> {
  const { userId } = tx.viewer;
  if (!(await shareProject.first(tx.db, { id: projectId, userId })))
    throw new NotFoundError('Project');
  const listed = await listAnnotationClasses(tx, projectId);
  const classes = new Map(listed.map(({ id, name }) => [name, id]));
  const ids = images.map(({ image }) => image.id);
  const locked = await lockImages.rows(tx.db, { projectId, ids });
  const live = new Set(locked.map(({ id }) => id));
  const now = new Date(tx.clock());
  let changed = 0;
  for (const { source, image } of images) {
    const gone = (what: string): never => {
      throw new ChangedMeanwhileError(`${what} has gone while its annotations were imported`);
    };
    if (!live.has(image.id)) gone(`the image ${image.name}`);
    const checked = await checkImage(source, image, new ImportFaults(0));
    const replaced = await replaceAnnotations(tx.db, {
      projectId,
      imageId: image.id,
      annotations: checked.map(({ className, written }) => ({
        class_id: classes.get(className.trim()) ?? gone(`the class ${className}`),
        written,
      })),
      state: 'ANNOTATED',
      stays: ['ANNOTATED', 'ACCEPTED', 'REJECTED'],
      userId,
      now,
    });
    if (replaced) changed++;
    onImage?.();
  }
  return changed;
}
