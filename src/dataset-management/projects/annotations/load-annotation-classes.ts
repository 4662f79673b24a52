import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../../core/context/context.ts';
import type { AnnotationClass } from './list-annotation-classes.ts';

/** Never cached: a document may add classes and then select them. */
const loader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<string, AnnotationClass[]>(
      async (ids) => {
        const found = await ctx.db.prisma.annotationClass.findMany({
          where: { projectId: { in: [...ids] } },
          orderBy: { position: 'asc' },
        });
        return ids.map((id) => found.filter(({ projectId }) => projectId === id));
      },
      { cache: false },
    ),
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
