import type { SignedInContext } from '../../../core/context/context.ts';
import type { DatasetImage } from '../../images/image.ts';
import { changeWork, type WorkPlace } from './change-work.ts';
import { checkNumber, classIds, geometryProblems } from './check-annotations.ts';
import type { AnnotationInput } from './geometry.ts';
import { requireProjectImage } from './load-project-image.ts';
import { replaceAnnotations, toWritten } from './replace-annotations.ts';

/**
 * Replaces the annotations of an image in a project and marks it as annotated, even without any: "there is nothing on
 * it" (D-64). Every role may do this. GraphQL `annotateImage`. Throws ValidationError, NotFoundError, ConflictError.
 */
export async function annotateImage(
  ctx: SignedInContext,
  args: WorkPlace & { annotations: readonly AnnotationInput[] },
): Promise<DatasetImage> {
  const { annotations } = args;
  const { project, image } = await requireProjectImage(ctx, args);
  checkNumber('annotations', annotations.length);
  const problems = geometryProblems('annotations', annotations, image);
  return changeWork(ctx, args, async (tx) => {
    const classNames = annotations.map(({ className }) => className);
    const classes = await classIds(
      tx,
      project.id,
      [{ field: 'annotations', classNames }],
      problems,
    );
    await replaceAnnotations(tx.db, {
      projectId: project.id,
      imageId: image.id,
      annotations: annotations.map((input) => ({
        class_id: classes.get(input.className) ?? '',
        written: toWritten(input),
      })),
      state: 'ANNOTATED',
      userId: ctx.viewer.userId,
      now: new Date(ctx.clock()),
    });
  });
}
