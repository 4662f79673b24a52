import type { Database } from '../../core/database/db.ts';
import { fold, foldLogin } from '../../core/text.ts';
import { namedInDomain } from '../task-tracker.sql.ts';

export interface AssigneeNames {
  assignedTo: string | null;
  assignedGroup: string | null;
  storeName?: string | null;
}

/** The user, the group and the store that a task names, in a domain; null for a name that does not exist there. */
export interface Assignees {
  userId: number | null;
  deptId: number | null;
  unitId: number | null;
  /** For `assign_to_desc` of the feed. */
  description: string | null;
  /** How many assignments there are to be: to the user, the group, or both. */
  count: number;
}

/**
 * Resolves the names of a task in a domain (D-77). A login of another domain, or of a disabled user, counts as unknown.
 */
export async function findAssignees(
  db: Database,
  domainId: number,
  { assignedTo, assignedGroup, storeName = null }: AssigneeNames,
): Promise<Assignees> {
  const isNamed = assignedTo !== null || assignedGroup !== null || storeName !== null;
  const found = isNamed
    ? await namedInDomain.first(db, {
        domainId,
        login: assignedTo === null ? null : foldLogin(assignedTo.trim()),
        groupFold: assignedGroup === null ? null : fold(assignedGroup.trim()),
        storeFold: storeName === null ? null : fold(storeName.trim()),
      })
    : undefined;
  const { userId = null, deptId = null, unitId = null } = found ?? {};
  const names = [found?.displayName ?? assignedTo, found?.deptName ?? assignedGroup].filter(
    (name) => name !== null,
  );
  return {
    userId,
    deptId,
    unitId,
    description: names.length === 0 ? null : names.join(', '),
    count: [userId, deptId].filter((id) => id !== null).length,
  };
}
