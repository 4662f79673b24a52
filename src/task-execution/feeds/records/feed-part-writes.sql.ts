import { statement } from '../../../core/sql/statement.ts';
import { int4, int8, nullable, timestamptz } from '../../../core/sql/types.ts';

/** Assigns a feed to a user, a department, both or nobody; it has none of these assignments. */
export const assignFeed = statement({
  text: `INSERT INTO feed_assignment (feed_key, user_id, dept_id)
    SELECT $feedKey, a.* FROM (VALUES ($userId::int, NULL), (NULL, $deptId::int)) AS a (user_id, dept_id) WHERE coalesce(a.user_id, a.dept_id) IS NOT NULL`,
  params: { feedKey: int8, userId: nullable(int4), deptId: nullable(int4) },
  row: {},
});

/** Notes that a user has acted on a feed. */
export const takeAction = statement({
  text: `INSERT INTO feed_user_state AS s (user_id, feed_key, action_taken, updated_at) VALUES ($userId, $feedKey, true, $now)
    ON CONFLICT (user_id, feed_key) DO UPDATE SET action_taken = true, updated_at = excluded.updated_at WHERE NOT s.action_taken`,
  params: { userId: int4, feedKey: int8, now: timestamptz },
  row: {},
});
