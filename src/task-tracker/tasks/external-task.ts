import * as z from 'zod';
import type { RowOf } from '../../core/sql/types.ts';
import type { taskRow } from '../task-tracker.sql.ts';

export const taskPriorities = ['HIGH', 'MEDIUM', 'LOW'] as const;
export type TaskPriority = (typeof taskPriorities)[number];

const taskStatuses = ['TODO', 'IN_PROGRESS', 'DONE', 'CLOSED', 'EXPIRED'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** An external task, in the documented names and order; the body of REST replies. */
export const externalTask = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  status: z.enum(taskStatuses),
  priority: z.enum(taskPriorities),
  assignedTo: z.string().nullable(),
  assignedGroup: z.string().nullable(),
  createdBy: z.string().nullable(),
  executedBy: z.string().nullable(),
  storeName: z.string().nullable(),
  /** ISO 8601, UTC. */
  expiryTime: z.string().nullable(),
  createdAt: z.string(),
  feedKey: z.number(),
});

export type ExternalTask = z.infer<typeof externalTask>;

/** A task as it is read. */
export function toTask(row: RowOf<typeof taskRow>): ExternalTask {
  return {
    ...row,
    status: taskStatus(row.status),
    priority: taskPriorities.find((known) => known === row.priority) ?? 'MEDIUM',
    expiryTime: row.expiryTime?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  };
}

/** A task has the status of its feed, since people work on the feed. */
function taskStatus(feedStatus: string): TaskStatus {
  switch (feedStatus) {
    case 'P':
      return 'IN_PROGRESS';
    case 'C':
      return 'DONE';
    case 'F':
      return 'CLOSED';
    case 'E':
      return 'EXPIRED';
    default:
      return 'TODO';
  }
}
