import type { ClientBase } from 'pg';

/** Gives a user or profile exactly these permissions. */
export async function replacePermissions(
  client: ClientBase,
  subjectType: 'USER' | 'PROFILE',
  subjectId: number,
  permissions: readonly string[],
): Promise<void> {
  await client.query(
    'DELETE FROM permission_grant WHERE subject_type = $1 AND subject_id = $2 AND permission <> ALL ($3)',
    [subjectType, subjectId, permissions],
  );
  await client.query(
    'INSERT INTO permission_grant (subject_type, subject_id, permission) SELECT DISTINCT $1, $2::int, unnest($3::text[]) ON CONFLICT DO NOTHING',
    [subjectType, subjectId, permissions],
  );
}
