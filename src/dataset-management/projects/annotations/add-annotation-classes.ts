import type { SignedInContext } from '../../../core/context/context.ts';
import { ValidationError, type FieldProblem } from '../../../core/errors.ts';
import { isLonger, isStorable } from '../../../core/text.ts';
import { createOnce, type Created } from '../../content/create-once.ts';
import { listAnnotationClasses, type AnnotationClass } from './list-annotation-classes.ts';
import { requireProject } from '../load-project.ts';
import { writeClasses } from '../write-classes.ts';

/**
 * Adds classes to a project and changes the colours of existing ones, by name. Nothing is removed, so no annotation
 * loses its class. GraphQL `addAnnotationClasses`. Throws ValidationError, NotFoundError, ForbiddenError,
 * IdempotencyError.
 */
export async function addAnnotationClasses(
  ctx: SignedInContext,
  args: {
    projectId: string;
    classes: readonly { name: string; color?: string | null | undefined }[];
    idempotencyKey?: string | null | undefined;
  },
): Promise<Created<AnnotationClass[]>> {
  const project = await requireProject(ctx, args.projectId, 'change');
  const problems = args.classes.flatMap(({ name, color }, index): FieldProblem[] => [
    ...(name.trim() === ''
      ? [
          {
            path: ['classes', String(index), 'name'],
            message: 'name is required',
            code: 'NAME_REQUIRED',
          },
        ]
      : []),
    ...(isLonger(name, 200) || !isStorable(name)
      ? [
          {
            path: ['classes', String(index), 'name'],
            message: 'name is too long',
            code: 'NAME_TOO_LONG',
          },
        ]
      : []),
    ...(color != null && !/^#[0-9a-f]{6}$/i.test(color)
      ? [
          {
            path: ['classes', String(index), 'color'],
            message: 'color must be #rrggbb',
            code: 'VALIDATION_ERROR',
          },
        ]
      : []),
  ]);
  if (problems.length > 0) throw new ValidationError(problems);
  const request = { projectId: project.id, classes: args.classes };
  const { replayed } = await createOnce(
    ctx,
    { operation: 'addAnnotationClasses', key: args.idempotencyKey, request },
    async ({ db }) => {
      await writeClasses(db, project.id, args.classes);
      return project.id;
    },
  );
  return { created: await listAnnotationClasses(ctx, project.id), replayed };
}
