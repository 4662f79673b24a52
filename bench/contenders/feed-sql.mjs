// The page of a unit's feeds in SQL, as one would write it by hand over Trivium's tables: shared by the floor and by Mercurius.

const status = (column, end) =>
  `CASE WHEN ${column} IN ('N', 'R', 'P') AND ${end} < now() THEN 'O' ELSE ${column} END`;

const OPEN = "('N', 'R', 'P')";

/** The effective status is one of these, in words that the planner can estimate: with the CASE above it would read the whole list. */
export function statusFilter(statuses, overdue) {
  const stored = `l.status = ANY (${statuses}::bpchar[]) AND (l.status NOT IN ${OPEN} OR l.end_sort >= now())`;
  return overdue === false
    ? stored
    : `(${stored} OR ${overdue === true ? 'true' : overdue} AND (l.status = 'O' OR l.status IN ${OPEN} AND l.end_sort < now()))`;
}

/** The 36 default fields over f (feed) and s (feed_user_state). */
export const fields = {
  feed_key: 'f.feed_key',
  feed_title: 'f.title',
  message_type: 'f.message_type',
  status: status('f.status', 'f.end_at'),
  priority: 'f.priority',
  feed_type: 'f.feed_type',
  feed_type_id: 'f.feed_type_id',
  cluster_id: 'f.cluster_id',
  cluster_child_id: 'f.cluster_child_id',
  start_date_time: 'f.start_at',
  end_date_time: 'f.end_at',
  display_launch_date: 'f.launch_at',
  create_dtm: 'f.created_at',
  last_updated_time: 'f.last_updated_at',
  task_count: 'f.task_count',
  overdue_task_count: `CASE WHEN f.task_count > 0 THEN (SELECT count(*)::int FROM feed t WHERE t.parent_feed_key = f.feed_key AND t.kind = 'TASK'
    AND t.deleted_at IS NULL AND ${status('t.status', 't.end_at')} = 'O') ELSE 0 END`,
  pin: 'coalesce(s.pinned, false)',
  favorite_flag: 'coalesce(s.favorite, false)',
  acknowledged_flag: 'coalesce(s.acknowledged, false)',
  is_confidential: 'f.is_confidential',
  has_survey: 'f.has_survey',
  title_css: 'f.title_css',
  panel_config: 'f.panel_config',
  assign_to_desc: 'f.assign_to_desc',
  has_comments: 'f.has_comments',
  enable_comment: 'f.enable_comment',
  future_feed: 'coalesce(f.start_at > now(), false)',
  show_why_url: 'f.show_why_url',
  has_action: 'coalesce(s.has_action, false)',
  enable_action: 'f.enable_action',
  show_how_url: 'f.show_how_url',
  has_history: 'f.has_history',
  has_user_notes: 'coalesce(s.has_notes, false)',
  has_actions: 'f.has_actions',
  has_contents: 'f.has_contents',
  has_key_attributes: 'f.has_key_attributes',
};

export const camelCase = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** Sorts of the workload: column of feed_listing, its type, and the direction. */
const sorts = {
  endDateTime: { column: 'end_sort', type: 'timestamptz', direction: 'ASC', beyond: '>' },
  priority: { column: 'priority_sort', type: 'int', direction: 'ASC', beyond: '>' },
  startDateTime: { column: 'start_sort', type: 'timestamptz', direction: 'DESC', beyond: '<' },
};

/**
 * Makes the statement of a shape, named so that PostgreSQL plans it once. Parameters: user, unit, home departments, then statuses, then position.
 * The number of rows is part of the text: as a parameter, PostgreSQL would plan pages without a cursor anew for every request.
 */
export function pageStatements(nameOf) {
  const columns = Object.entries(fields)
    .map(([name, sql]) => `${sql} AS "${nameOf(name)}"`)
    .join(', ');
  const statements = new Map();
  return ({ sort, statuses, after, limit }) => {
    const name = `${sort}${statuses ? ` filtered${statuses.includes('O') ? ' overdue' : ''}` : ''}${after ? ' behind' : ''} ${limit}`;
    let statement = statements.get(name);
    if (!statement) {
      const { column, type, direction, beyond } = sorts[sort];
      const at = statuses ? 5 : 4;
      const order = `l.${column} ${direction}, l.feed_key ${direction}`;
      const text = `SELECT ${columns}, l.${column} AS sort_value
        FROM (SELECT l.feed_key, l.${column} FROM feed_listing l
          WHERE l.list = 50 AND l.subject_id = $2 AND (l.confidential_dept IS NULL OR l.confidential_dept = ANY ($3::int[]))
            ${statuses ? `AND ${statusFilter('$4', statuses.includes('O'))}` : ''}
            ${after ? `AND (l.${column}, l.feed_key) ${beyond} ($${at}::${type}, $${at + 1}::bigint)` : ''}
          ORDER BY ${order} LIMIT ${Math.min(Math.max(Math.trunc(limit), 1), 100) + 1}) l
        JOIN feed f ON f.feed_key = l.feed_key
        LEFT JOIN feed_user_state s ON s.user_id = $1 AND s.feed_key = l.feed_key
        ORDER BY ${order}`;
      statements.set(name, (statement = { name, text }));
    }
    return statement;
  };
}

/** Reads a page and makes its cursor. A request is { user, unit, homeDepts, sort, statuses, after, limit }. */
export async function readPage(pool, statementOf, nameOfKey, request) {
  const { user, unit, homeDepts, statuses, after, limit } = request;
  const values = [user, unit, homeDepts];
  if (statuses) values.push(statuses);
  if (after) values.push(...JSON.parse(Buffer.from(after, 'base64url').toString()));
  const { rows } = await pool.query({ ...statementOf(request), values });
  const hasMore = rows.length > limit;
  if (hasMore) rows.pop();
  const last = rows.at(-1);
  const cursor =
    last && hasMore
      ? Buffer.from(JSON.stringify([last.sort_value, last[nameOfKey]])).toString('base64url')
      : null;
  for (const row of rows) row.sort_value = undefined;
  return { rows, cursor, hasMore };
}

/** Users with their unit and home departments: what a session would tell. Read once, because peers check no session. */
export async function readViewers(pool) {
  const { rows } = await pool.query(
    `SELECT u.id, u.unit_id, ARRAY(SELECT dept_id FROM user_dept WHERE user_id = u.id AND is_home ORDER BY dept_id) AS depts FROM "user" u`,
  );
  return new Map(
    rows.map((row) => [row.id, { user: row.id, unit: row.unit_id, homeDepts: row.depts }]),
  );
}
