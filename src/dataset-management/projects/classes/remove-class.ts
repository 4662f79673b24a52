import { tellAct } from '../../../core/context/act.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { changeImagesOfClasses, lockImagesOfClasses } from '../../content/content.sql.ts';
import { refusal } from '../../envelope/dataset-errors.ts';
import { changeProject } from '../change-project.ts';
import { findClass, refusePublished, type ClassChange } from './find-class.ts';

/**
 * Removes a class from a draft project; with annotations only if those are to go too. Images keep their state. GraphQL
 * `removeAnnotationClass`. Throws ValidationError, NotFoundError, ForbiddenError.
 */
export async function removeClass(
  ctx: SignedInContext,
  args: { projectId: string; name: string; deleteAnnotations: boolean },
): Promise<ClassChange> {
  const { projectId, name } = args;
  tellAct(ctx, { target: name });
  let annotations = 0;
  const project = await changeProject(ctx, { projectId }, async ({ db }, stored) => {
    refusePublished(stored);
    const { annotation, annotationClass } = db.prisma;
    const id = await findClass(db.prisma, projectId, name);
    annotations = await annotation.count({ where: { classId: id } });
    if (annotations > 0 && !args.deleteAnnotations)
      throw refusal(
        'VALIDATION_ERROR',
        'name',
        `has ${annotations} annotations: delete them with deleteAnnotations, or keep them with mergeAnnotationClasses`,
      );
    // In order, because the counts of the images change with their annotations.
    await lockImagesOfClasses.rows(db, { classIds: [id] });
    await changeImagesOfClasses.rows(db, { classIds: [id] });
    await annotation.deleteMany({ where: { classId: id } });
    await annotationClass.delete({ where: { id } });
    return true;
  });
  return { project, annotations };
}
