import { tellAct } from '../../../core/context/act.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { ValidationError } from '../../../core/errors.ts';
import { isLonger, isStorable } from '../../../core/text.ts';
import { Prisma } from '../../../generated/prisma/client.ts';
import { checkNaming } from '../../content/check-naming.ts';
import { refusal } from '../../envelope/dataset-errors.ts';
import { changeProject } from '../change-project.ts';
import type { Project } from '../project.ts';
import { skeletonShape } from '../skeleton.ts';
import { findClass, refusePublished } from './find-class.ts';

/**
 * Changes a class of a project; what is left out stays, null clears. Its annotations and its position, the id of the
 * category in COCO, stay. The name only in a draft project. GraphQL `updateAnnotationClass`. Throws ValidationError,
 * NotFoundError, ForbiddenError.
 */
export async function updateClass(
  ctx: SignedInContext,
  args: {
    projectId: string;
    name: string;
    newName?: string | undefined;
    color?: string | undefined;
    supercategory?: string | null | undefined;
    skeleton?: unknown;
  },
): Promise<Project> {
  const { projectId, color, supercategory, skeleton } = args;
  if (color !== undefined && !/^#[0-9a-f]{6}$/i.test(color))
    throw refusal('VALIDATION_ERROR', 'color', 'color must be #rrggbb');
  const newName = args.newName === undefined ? undefined : checkNaming({ name: args.newName }).name;
  if (supercategory != null && (isLonger(supercategory, 200) || !isStorable(supercategory)))
    throw refusal(
      'VALIDATION_ERROR',
      'supercategory',
      'supercategory has more than 200 characters or some that can not be stored',
    );
  const parsed = skeleton == null ? undefined : skeletonShape.safeParse(skeleton);
  if (parsed && !parsed.success)
    throw new ValidationError(
      parsed.error.issues.map(({ path, message }) => ({
        path: ['skeleton', ...path.map(String)],
        message,
        code: 'VALIDATION_ERROR',
      })),
    );
  tellAct(ctx, { target: args.name });
  return changeProject(ctx, { projectId }, async ({ db: { prisma } }, stored) => {
    const id = await findClass(prisma, projectId, args.name);
    const renamed = newName !== undefined && newName !== args.name;
    if (renamed) {
      refusePublished(stored);
      const taken = await prisma.annotationClass.count({ where: { projectId, name: newName } });
      if (taken > 0)
        throw refusal(
          'VALIDATION_ERROR',
          'newName',
          'is another class: mergeAnnotationClasses makes one of two',
        );
    }
    await prisma.annotationClass.update({
      where: { id },
      data: {
        ...(renamed && { name: newName }),
        ...(color !== undefined && { color: color.toLowerCase() }),
        ...(supercategory !== undefined && { supercategory: supercategory || null }),
        ...(skeleton !== undefined && { skeleton: parsed?.data ?? Prisma.DbNull }),
      },
    });
    return true;
  });
}
