import type { SignedInContext } from '../../../core/context/context.ts';
import { loaderById, loaderOfRows, uncached } from '../../../core/lists/load-by-id.ts';
import type { RowOf } from '../../../core/sql/types.ts';
import { assignedWork, classCounts, projectWork } from '../projects.sql.ts';

/** How many images of a project are in each state. */
export interface WorkProgress {
  total: number;
  none: number;
  annotated: number;
  accepted: number;
  rejected: number;
}

/** The work that is assigned to one member of a project. */
export type Assignment = Omit<RowOf<typeof assignedWork.row>, 'projectId'>;

const progressLoader = loaderById(
  ({ reads }: SignedInContext, ids: readonly string[]) => projectWork.rows(reads, { ids }),
  uncached,
);

/** How far a project is that the viewer has been given. GraphQL `Project.progress`. */
export async function countWork(ctx: SignedInContext, projectId: string): Promise<WorkProgress> {
  const found = await progressLoader(ctx).load(projectId);
  const { annotated = 0, accepted = 0, rejected = 0, total = 0 } = found ?? {};
  return { total, none: total - annotated - accepted - rejected, annotated, accepted, rejected };
}

const assignmentLoader = loaderOfRows(
  ({ reads }: SignedInContext, ids: readonly string[]) => assignedWork.rows(reads, { ids }),
  ({ projectId }) => projectId,
  uncached,
);

/** What is assigned to whom in a project that the viewer has been given, by login. GraphQL `Project.assignments`. */
export function countAssignments(ctx: SignedInContext, projectId: string): Promise<Assignment[]> {
  return assignmentLoader(ctx).load(projectId);
}

const classLoader = loaderById(
  ({ reads }: SignedInContext, ids: readonly string[]) => classCounts.rows(reads, { ids }),
  uncached,
);

/** How many annotations a class has. GraphQL `AnnotationClass.annotationsCount`. */
export async function countClass(ctx: SignedInContext, classId: string): Promise<number> {
  return (await classLoader(ctx).load(classId))?.count ?? 0;
}
