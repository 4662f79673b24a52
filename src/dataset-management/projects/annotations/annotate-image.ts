import type { SignedInContext } from '../../../core/context/context.ts';
import { inTransaction } from '../../../core/context/in-transaction.ts';
import { ValidationError } from '../../../core/errors.ts';
import type { DatasetImage } from '../../images/image.ts';
import { forgetImages, requireImage } from '../../images/load-image.ts';
import { geometryFault, type AnnotationInput } from './geometry.ts';
import { listAnnotationClasses } from './list-annotation-classes.ts';
import { lockImage } from '../projects.sql.ts';
import { requireProjectImage } from './load-project-image.ts';
import { MAX_ANNOTATIONS, replaceAnnotations } from './replace-annotations.ts';

/**
 * Replaces the annotations of an image in a project and marks it as annotated, even without any: "there is nothing on
 * it" (D-64). Every role may do this. GraphQL `annotateImage`. Throws ValidationError, NotFoundError.
 */
export async function annotateImage(
  ctx: SignedInContext,
  args: { projectId: string; imageId: string; annotations: readonly AnnotationInput[] },
): Promise<DatasetImage> {
  const { userId } = ctx.viewer;
  const { project, image } = await requireProjectImage(ctx, args);
  if (args.annotations.length > MAX_ANNOTATIONS)
    throw new ValidationError([
      { path: ['annotations'], message: `at most ${MAX_ANNOTATIONS}`, code: 'VALIDATION_ERROR' },
    ]);
  const problems = args.annotations.flatMap((input, index) => {
    const fault = geometryFault(input, image);
    return fault === undefined
      ? []
      : [
          {
            path: ['annotations', String(index), 'geometry'],
            message: fault,
            code: 'VALIDATION_ERROR',
          },
        ];
  });
  await inTransaction(ctx, async (tx) => {
    const listed = await listAnnotationClasses(tx, project.id);
    const classes = new Map(listed.map(({ id, name }) => [name, id]));
    args.annotations.forEach(({ className }, index) => {
      if (!classes.has(className))
        problems.push({
          path: ['annotations', String(index), 'className'],
          message: `the project has no class "${className}"`,
          code: 'VALIDATION_ERROR',
        });
    });
    if (problems.length > 0) throw new ValidationError(problems);
    // The image's row first, as the trigger takes it: two annotators wait for each other.
    await lockImage.rows(tx.db, { id: image.id });
    const annotations = args.annotations.map(({ className, shape, geometry }) => ({
      class_id: classes.get(className) ?? '',
      shape,
      geometry: geometry ?? null,
    }));
    await replaceAnnotations(tx.db, {
      projectId: project.id,
      imageId: image.id,
      annotations,
      state: 'ANNOTATED',
      userId,
      now: new Date(ctx.clock()),
    });
  });
  forgetImages(ctx);
  return requireImage(ctx, image.id);
}
