import type { ClientBase } from 'pg';

/** Puts a user into exactly these departments; the last mention of a department wins. */
export async function replaceUserDepts(
  client: ClientBase,
  userId: number,
  depts: readonly { dept_id: number | undefined; is_home: boolean }[],
): Promise<void> {
  const wanted = [...new Map(depts.map((dept) => [dept.dept_id, dept])).values()];
  await client.query('DELETE FROM user_dept WHERE user_id = $1 AND dept_id <> ALL ($2)', [
    userId,
    wanted.map((dept) => dept.dept_id),
  ]);
  await client.query(
    `INSERT INTO user_dept AS d (user_id, dept_id, is_home)
     SELECT $1, w.dept_id, w.is_home FROM jsonb_to_recordset($2::jsonb) AS w (dept_id int, is_home boolean)
     ON CONFLICT (user_id, dept_id) DO UPDATE SET is_home = excluded.is_home WHERE d.is_home <> excluded.is_home`,
    [userId, JSON.stringify(wanted)],
  );
}
