import { z } from 'zod';
import type { Cell } from '../../core/wire/wire.ts';
import { epochMillis } from '../../core/time.ts';

export const taskPriorities = ['HIGH', 'MEDIUM', 'LOW'] as const;
export type TaskPriority = (typeof taskPriorities)[number];

export const taskStatuses = ['TODO', 'IN_PROGRESS', 'DONE', 'CLOSED', 'EXPIRED'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** A task from outside, in the documented names and order; the body of REST replies. */
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

/** Over `t` (external_task) and `f` (feed); for taskFromCells. */
export const TASK_COLUMNS =
  't.id, t.name, t.description, f.status, t.priority, t.assigned_to, t.assigned_group, t.created_by, t.executed_by, t.store_name, f.end_at, t.created_at, t.feed_key';

export function taskFromCells([
  id,
  name,
  description,
  status,
  priority,
  assignedTo,
  assignedGroup,
  createdBy,
  executedBy,
  storeName,
  end,
  createdAt,
  feedKey,
]: readonly Cell[]): ExternalTask {
  return {
    id: id ?? '',
    name: name ?? '',
    description: description ?? null,
    status: taskStatus(status),
    priority: taskPriorities.find((known) => known === priority) ?? 'MEDIUM',
    assignedTo: assignedTo ?? null,
    assignedGroup: assignedGroup ?? null,
    createdBy: createdBy ?? null,
    executedBy: executedBy ?? null,
    storeName: storeName ?? null,
    expiryTime: end == null ? null : isoText(end),
    createdAt: isoText(createdAt ?? ''),
    feedKey: Number(feedKey),
  };
}

/** The status of a task is that of its feed: people work on the feed. */
function taskStatus(feedStatus: Cell | undefined): TaskStatus {
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

function isoText(instant: string): string {
  return new Date(epochMillis(instant)).toISOString();
}
