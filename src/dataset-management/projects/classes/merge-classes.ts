import { tellAct } from '../../../core/context/act.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { refusal } from '../../envelope/dataset-errors.ts';
import { emptyClasses } from './empty-classes.ts';
import { findClass, type ClassChange } from './find-class.ts';

/**
 * Makes one class of several: the annotations of the others get the class `into`, and the others are removed. Only in a
 * draft project. GraphQL `mergeAnnotationClasses`. Throws ValidationError, NotFoundError, ForbiddenError.
 */
export async function mergeClasses(
  ctx: SignedInContext,
  args: { projectId: string; from: readonly string[]; into: string },
): Promise<ClassChange> {
  const { projectId, into } = args;
  const from = [...new Set(args.from)];
  if (from.length === 0 || from.length > 100)
    throw refusal('VALIDATION_ERROR', 'from', 'names 1 to 100 classes');
  if (from.includes(into))
    throw refusal('VALIDATION_ERROR', 'from', 'names the class that is to stay');
  tellAct(ctx, { target: into });
  return emptyClasses(ctx, projectId, async (prisma) => {
    const classId = await findClass(prisma, projectId, into);
    const classIds = await Promise.all(from.map((name) => findClass(prisma, projectId, name)));
    return {
      classIds,
      take: (where) => prisma.annotation.updateMany({ where, data: { classId } }),
    };
  });
}
