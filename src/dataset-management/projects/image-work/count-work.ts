import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../../core/context/context.ts';
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

const never = { cache: false, maxBatchSize: 500 };

const progressLoader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<string, WorkProgress>(async (ids) => {
      const rows = await projectWork.rows(ctx.db, { ids });
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => {
        const { annotated = 0, accepted = 0, rejected = 0, total = 0 } = byId.get(id) ?? {};
        const done = annotated + accepted + rejected;
        return { total, none: total - done, annotated, accepted, rejected };
      });
    }, never),
);

/** How far a project is that the viewer has been given. GraphQL `Project.progress`. */
export function countWork(ctx: SignedInContext, projectId: string): Promise<WorkProgress> {
  return progressLoader(ctx).load(projectId);
}

const assignmentLoader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<string, Assignment[]>(async (ids) => {
      const rows = await assignedWork.rows(ctx.db, { ids });
      return ids.map((id) => rows.filter(({ projectId }) => projectId === id));
    }, never),
);

/** What is assigned to whom in a project that the viewer has been given, by login. GraphQL `Project.assignments`. */
export function countAssignments(ctx: SignedInContext, projectId: string): Promise<Assignment[]> {
  return assignmentLoader(ctx).load(projectId);
}

const classLoader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<string, number>(async (ids) => {
      const rows = await classCounts.rows(ctx.db, { ids });
      const byId = new Map(rows.map(({ id, count }) => [id, count]));
      return ids.map((id) => byId.get(id) ?? 0);
    }, never),
);

/** How many annotations a class has. GraphQL `AnnotationClass.annotationsCount`. */
export function countClass(ctx: SignedInContext, classId: string): Promise<number> {
  return classLoader(ctx).load(classId);
}
