import type { ClientBase } from 'pg';
import { fold } from '../../core/text.ts';

export interface AssigneeNames {
  assignedTo: string | null;
  assignedGroup: string | null;
}

/** Whom the names of a task mean in a domain; null for a name that means nobody there. */
export interface Assignees {
  userId: number | null;
  deptId: number | null;
  /** For `assign_to_desc` of the feed. */
  description: string | null;
}

/** Resolves a login and a group of a domain (D-77). A login of another domain, or of somebody who left, means nobody. */
export async function findAssignees(
  client: ClientBase,
  domainId: number,
  { assignedTo, assignedGroup }: AssigneeNames,
): Promise<Assignees> {
  const { rows } = await client.query<{
    user_id: number | null;
    display_name: string | null;
    dept_id: number | null;
    dept_name: string | null;
  }>(
    `SELECT u.id AS user_id, u.display_name, d.id AS dept_id, d.name AS dept_name FROM (SELECT) one
     LEFT JOIN "user" u ON u.login = $2 AND u.domain_id = $1 AND u.disabled_at IS NULL
     LEFT JOIN dept d ON d.name_fold = $3 AND d.domain_id = $1`,
    [
      domainId,
      assignedTo?.trim().normalize('NFC').toLowerCase() ?? null,
      assignedGroup === null ? null : fold(assignedGroup.trim()),
    ],
  );
  const [found] = rows;
  const names = [found?.display_name ?? assignedTo, found?.dept_name ?? assignedGroup].filter(
    (name) => name !== null,
  );
  return {
    userId: found?.user_id ?? null,
    deptId: found?.dept_id ?? null,
    description: names.length === 0 ? null : names.join(', '),
  };
}

/** Addresses a feed to them. */
export async function insertAssignments(
  client: ClientBase,
  feedKey: string,
  { userId, deptId }: Assignees,
): Promise<void> {
  const subjects = [
    { user_id: userId, dept_id: null },
    { user_id: null, dept_id: deptId },
  ].filter((subject) => subject.user_id !== null || subject.dept_id !== null);
  if (subjects.length === 0) return;
  await client.query(
    'INSERT INTO feed_assignment (feed_key, user_id, dept_id) SELECT $1, s.user_id, s.dept_id FROM jsonb_to_recordset($2::jsonb) AS s (user_id int, dept_id int)',
    [feedKey, JSON.stringify(subjects)],
  );
}
