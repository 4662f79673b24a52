import { List } from '../core/lists/list.sql.ts';
import { statement } from '../core/sql/statement.ts';
import {
  arrayOf,
  bool,
  char,
  int4,
  int8,
  nullable,
  text,
  texts,
  timestamptz,
  uuid,
  uuids,
} from '../core/sql/types.ts';

/** A task with what it has from its feed, in the order of replies: columns of `t` (external_task) and `f` (feed). */
const TASK_COLUMNS =
  't.id, t.name, t.description, f.status, t.priority, t.assigned_to, t.assigned_group, t.created_by, t.executed_by, t.store_name, f.end_at AS expiry_time, t.created_at, t.feed_key';

export const taskRow = {
  id: uuid,
  name: text,
  description: nullable(text),
  status: char,
  priority: text,
  assignedTo: nullable(text),
  assignedGroup: nullable(text),
  createdBy: nullable(text),
  executedBy: nullable(text),
  storeName: nullable(text),
  expiryTime: nullable(timestamptz),
  createdAt: timestamptz,
  feedKey: int8,
};

const TASKS = 'FROM external_task t JOIN feed f ON f.feed_key = t.feed_key';

/** "The feed `f` is open and external." */
const OPEN = `f.feed_type = 'EXTERNAL' AND f.status IN ('N', 'R', 'P', 'O') AND f.deleted_at IS NULL`;

/** Tasks, and what decides who sees them. */
export const tasksById = statement({
  text: `SELECT ${TASK_COLUMNS}, t.customer_id, f.domain_id, f.unit_id, f.deleted_at IS NOT NULL AS deleted ${TASKS} WHERE t.id = ANY ($ids)`,
  params: { ids: arrayOf(uuid) },
  row: {
    ...taskRow,
    customerId: nullable(text),
    domainId: int4,
    unitId: nullable(int4),
    deleted: bool,
  },
});

export const tasksOfFeeds = statement({
  text: `SELECT ${TASK_COLUMNS} ${TASKS} WHERE t.feed_key = ANY ($feedKeys) AND f.domain_id = $domainId`,
  params: { feedKeys: arrayOf(int8), domainId: int4 },
  row: taskRow,
});

/** "A supervisor of that domain and unit is responsible for the feed `f`": it is in their unit, or in none. */
function supervised(domainId: string, unitId: string): string {
  return `f.domain_id = ${domainId} AND f.deleted_at IS NULL AND (f.unit_id IS NULL OR f.unit_id = ${unitId})`;
}

const unassigned = (responsible: string): string =>
  `${TASKS} WHERE ${responsible} AND ${OPEN} AND NOT EXISTS (SELECT FROM feed_assignment a WHERE a.feed_key = f.feed_key)`;

/** Tasks that wait for a supervisor, oldest first: open and assigned to nobody. */
export const unassignedTasks = new List({
  columns: TASK_COLUMNS,
  row: taskRow,
  source: ({ domainId, unitId }: { domainId: number; unitId: number | null }, params) => {
    const responsible = supervised(
      `${params.add(int4, domainId)}::int`,
      `${params.add(int4, unitId)}::int`,
    );
    return unassigned(responsible);
  },
  order: [{ name: 'feedKey', sql: 'f.feed_key', kind: 'key', descending: false }],
  samples: () => [{ domainId: 1, unitId: null }],
});

/**
 * A text that stays the same as long as the same tasks wait for a supervisor as they are; no row once the user is none any
 * more, or of another unit.
 */
export const unassignedState = statement({
  text: `SELECT (SELECT concat(count(*), ' ', sum(hashtextextended(concat(f.feed_key, ' ', f.version), 0)::numeric)) ${unassigned(supervised('u.domain_id', 'u.unit_id'))}) AS state
    FROM "user" u WHERE u.id = $userId AND u.unit_id IS NOT DISTINCT FROM $unitId AND EXISTS (SELECT FROM permission_grant g WHERE g.permission = 'SUPERVISOR'
      AND (g.subject_type = 'USER' AND g.subject_id = u.id OR g.subject_type = 'PROFILE' AND g.subject_id = u.profile_id))`,
  params: { userId: int4, unitId: nullable(int4) },
  row: { state: text },
});

/** Stores a task, whose feed is there. */
export const addTask = statement({
  text: `INSERT INTO external_task (id, feed_key, customer_id, name, description, priority, assigned_to, assigned_group, created_by, executed_by, store_name, created_at)
    VALUES ($id, $feedKey, $customerId, $name, $description, $priority, $assignedTo, $assignedGroup, $createdBy, $executedBy, $storeName, $createdAt)`,
  params: {
    id: uuid,
    feedKey: int8,
    customerId: nullable(text),
    name: text,
    description: nullable(text),
    priority: text,
    assignedTo: nullable(text),
    assignedGroup: nullable(text),
    createdBy: nullable(text),
    executedBy: nullable(text),
    storeName: nullable(text),
    createdAt: timestamptz,
  },
  row: {},
});

/** The feed of a task of a supervisor, locked until the end of the transaction. */
export const lockSupervisedTask = statement({
  text: `SELECT f.feed_key, f.status, f.version ${TASKS} WHERE t.id = $id AND ${supervised('$domainId', '$unitId')} FOR NO KEY UPDATE OF f`,
  params: { id: uuid, domainId: int4, unitId: nullable(int4) },
  row: { feedKey: int8, status: char, version: int4 },
});

/** The user, the group and the store that names of a domain mean: one row. */
export const namedInDomain = statement({
  text: `SELECT u.id AS user_id, u.display_name, d.id AS dept_id, d.name AS dept_name, s.id AS unit_id FROM (SELECT) one
    LEFT JOIN "user" u ON u.login = $login AND u.domain_id = $domainId AND u.disabled_at IS NULL
    LEFT JOIN dept d ON d.name_fold = $groupFold AND d.domain_id = $domainId AND d.removed_at IS NULL
    LEFT JOIN unit s ON s.name_fold = $storeFold AND s.domain_id = $domainId`,
  params: {
    domainId: int4,
    login: nullable(text),
    groupFold: nullable(text),
    storeFold: nullable(text),
  },
  row: {
    userId: nullable(int4),
    displayName: nullable(text),
    deptId: nullable(int4),
    deptName: nullable(text),
    unitId: nullable(int4),
  },
});

/**
 * The feeds of that many tasks whose time is over, locked, but for those that somebody works on now, those of a domain
 * that is locked or moves, and those that somebody has set back to in progress since then.
 */
export const lockOverTasks = statement({
  text: `SELECT f.feed_key FROM feed f WHERE ${OPEN} AND f.end_at <= $now AND (f.reopened_at IS NULL OR f.reopened_at < f.end_at) AND EXISTS (SELECT FROM external_task t WHERE t.feed_key = f.feed_key) AND f.domain_id <> ALL (ARRAY(SELECT d.id FROM domain d WHERE d.state <> 'OPEN'))
    ORDER BY f.end_at LIMIT $most FOR NO KEY UPDATE OF f SKIP LOCKED`,
  params: { now: timestamptz, most: int8 },
  row: { feedKey: int8 },
});

/** Stores the templates that an author does not have yet, in the order given. */
export const addTemplates = statement({
  text: `INSERT INTO task_template (id, domain_id, customer_id, title, title_fold, created_at)
    SELECT p.id, $domainId, $customerId, p.title, p.title_fold, $now FROM unnest($ids::uuid[], $titles::text[], $folds::text[]) WITH ORDINALITY p (id, title, title_fold, place)
    ORDER BY p.place ON CONFLICT DO NOTHING`,
  params: {
    domainId: int4,
    customerId: nullable(text),
    now: timestamptz,
    ids: uuids,
    titles: texts,
    folds: texts,
  },
  row: {},
});

/** The templates of an author that have these titles. */
export const templatesOfTitles = statement({
  text: 'SELECT p.id, p.title, p.title_fold FROM task_template p WHERE p.domain_id = $domainId AND p.customer_id IS NOT DISTINCT FROM $customerId AND p.title_fold = ANY ($folds)',
  params: { domainId: int4, customerId: nullable(text), folds: texts },
  row: { id: uuid, title: text, titleFold: text },
});

/** Templates of a domain, or of one customer in it, by title. */
export const templates = new List({
  columns: 'p.id, p.title',
  row: { id: uuid, title: text },
  source: ({ domainId, customerId }: { domainId: number; customerId?: string }, params) => {
    const own =
      customerId === undefined ? '' : ` AND p.customer_id = ${params.add(text, customerId)}`;
    return `FROM task_template p WHERE p.domain_id = ${params.add(int4, domainId)}::int${own}`;
  },
  order: [
    { name: 'title', sql: 'p.title_fold', kind: 'text', descending: false },
    { name: 'id', sql: 'p.id', kind: 'uuid', descending: false },
  ],
  samples: () => [{ domainId: 1 }, { domainId: 1, customerId: '' }],
});
