import { tellAct } from '../../../core/context/act.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { refusal } from '../../envelope/dataset-errors.ts';
import { emptyClasses } from './empty-classes.ts';
import { findClass, type ClassChange } from './find-class.ts';

/**
 * Removes a class from a draft project; with annotations only if those are to go too. Images keep their state. GraphQL
 * `removeAnnotationClass`. Throws ValidationError, NotFoundError, ForbiddenError.
 */
export async function removeClass(
  ctx: SignedInContext,
  args: { projectId: string; name: string; deleteAnnotations: boolean },
): Promise<ClassChange> {
  const { projectId, name, deleteAnnotations } = args;
  tellAct(ctx, { target: name });
  return emptyClasses(ctx, projectId, async (prisma) => {
    const classId = await findClass(prisma, projectId, name);
    const annotations = deleteAnnotations
      ? 0
      : await prisma.annotation.count({ where: { classId } });
    if (annotations > 0)
      throw refusal(
        'VALIDATION_ERROR',
        'name',
        `has ${annotations} annotations: delete them with deleteAnnotations, or keep them with mergeAnnotationClasses`,
      );
    return {
      classIds: [classId],
      take: (where) => prisma.annotation.deleteMany({ where }),
    };
  });
}
