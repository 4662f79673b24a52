import { List } from '../../core/lists/list.sql.ts';
import { int4, instantText, timestamptz, uuid } from '../../core/sql/types.ts';

/** Sessions of a user that have not ended, the latest first. */
export const sessions = new List({
  columns:
    's.id, s.created_at, s.last_seen_at, least(s.expires_at, s.absolute_expires_at) AS expires_at',
  row: { id: uuid, createdAt: instantText, lastSeenAt: timestamptz, expiresAt: timestamptz },
  source: ({ userId, now }: { userId: number; now: Date }, params) =>
    `FROM session s WHERE s.user_id = ${params.add(int4, userId)} AND s.revoked_at IS NULL
       AND s.expires_at > ${params.add(timestamptz, now)} AND s.absolute_expires_at > ${params.add(timestamptz, now)}`,
  order: [
    { name: 'created', sql: 's.created_at', kind: 'instant', descending: true },
    { name: 'id', sql: 's.id', kind: 'uuid', descending: true },
  ],
  samples: () => [{ userId: 1, now: new Date(0) }],
});
