import type { SignedInContext } from '../../../core/context/context.ts';
import { loaderOfRows, uncached } from '../../../core/lists/load-by-id.ts';
import type { AnnotationClass } from './list-annotation-classes.ts';

const loader = loaderOfRows(
  ({ db }: SignedInContext, ids: readonly string[]) =>
    db.prisma.annotationClass.findMany({
      where: { projectId: { in: [...ids] } },
      orderBy: { position: 'asc' },
    }),
  ({ projectId }) => projectId,
  uncached,
);

/**
 * The classes of a project that the viewer has been given, by position; for all projects of a list in one statement.
 * GraphQL `Project.classes`.
 */
export function loadAnnotationClasses(
  ctx: SignedInContext,
  projectId: string,
): Promise<AnnotationClass[]> {
  return loader(ctx).load(projectId);
}
