import { tellAct } from '../../../core/context/act.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { changeImagesOfClasses, lockImagesOfClasses } from '../../content/content.sql.ts';
import { refusal } from '../../envelope/dataset-errors.ts';
import { changeProject } from '../change-project.ts';
import { findClass, refusePublished, type ClassChange } from './find-class.ts';

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
  let annotations = 0;
  const project = await changeProject(ctx, { projectId }, async ({ db }, stored) => {
    refusePublished(stored);
    const { annotation, annotationClass } = db.prisma;
    const target = await findClass(db.prisma, projectId, into);
    const ids: string[] = [];
    for (const name of from) ids.push(await findClass(db.prisma, projectId, name));
    await lockImagesOfClasses.rows(db, { classIds: ids });
    await changeImagesOfClasses.rows(db, { classIds: ids });
    const moved = await annotation.updateMany({
      where: { classId: { in: ids } },
      data: { classId: target },
    });
    annotations = moved.count;
    await annotationClass.deleteMany({ where: { id: { in: ids } } });
    return true;
  });
  return { project, annotations };
}
