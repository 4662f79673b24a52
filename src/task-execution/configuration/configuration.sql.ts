import { statement } from '../../core/sql/statement.ts';
import { arrayOf, asText, int4, jsonb, nullable, text } from '../../core/sql/types.ts';

/**
 * The entry of each key that applies to a user: the most specific one, of departments that of the home department, else
 * of the last. By SQL, because every list reads it first: a gateway that only serves lists does not load Prisma's client.
 */
export const entriesOfUser = statement({
  text: `SELECT DISTINCT ON (c.key) c.key, c.scope, c.value FROM config_entry c
    LEFT JOIN user_dept home ON c.scope = 'DEPT' AND home.dept_id = c.scope_id AND home.user_id = $userId
    WHERE scope = 'SYSTEM' OR (scope = 'DOMAIN' AND scope_id = $domainId) OR (scope = 'PROFILE' AND scope_id = $profileId)
      OR (scope = 'UNIT' AND scope_id = $unitId) OR (scope = 'DEPT' AND scope_id = ANY ($deptIds)) OR (scope = 'USER' AND scope_id = $userId)
    ORDER BY c.key, array_position(ARRAY['USER', 'DEPT', 'UNIT', 'PROFILE', 'DOMAIN', 'SYSTEM'], scope), home.is_home DESC NULLS LAST, scope_id DESC`,
  params: {
    userId: int4,
    domainId: int4,
    profileId: nullable(int4),
    unitId: nullable(int4),
    deptIds: arrayOf(int4),
  },
  row: { key: text, scope: text, value: asText(jsonb) },
});

/**
 * Lets writes of configuration in this transaction leave its version to `raiseVersion`: it is in the rows of all
 * domains, which would be locked until the commit.
 */
export const leaveVersion = statement({
  text: `SELECT set_config('trivium.config_changed_in', pg_current_xact_id()::text, true) AS left_in`,
  params: {},
  row: { leftIn: text },
});

/** Tells every gateway that the configuration has changed. */
export const raiseVersion = statement({
  text: 'UPDATE domain SET config_version = config_version + 1',
  params: {},
  row: {},
});
