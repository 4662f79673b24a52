import type { SignedInContext } from '../../../core/context/context.ts';
import { ValidationError, type FieldProblem } from '../../../core/errors.ts';
import { faultOfName } from '../../content/check-naming.ts';
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
  const problems = args.classes.flatMap(({ name, color }, index): FieldProblem[] => {
    const path = ['classes', String(index)];
    const fault = faultOfName(name);
    return [
      ...(fault ? [{ path: [...path, 'name'], ...fault }] : []),
      ...(color != null && !/^#[0-9a-f]{6}$/i.test(color)
        ? [
            {
              path: [...path, 'color'],
              message: 'color must be #rrggbb',
              code: 'VALIDATION_ERROR',
            },
          ]
        : []),
    ];
  });
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
