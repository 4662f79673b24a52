import { requirePermission } from '../../auth/guards.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import type { Database } from '../../core/database/db.ts';
import { writeAuditLog } from '../../core/context/write-audit-log.ts';
import { NotFoundError, ValidationError } from '../../core/errors.ts';
import { fold } from '../../core/text.ts';
import { configValues } from './config-values.ts';
import { noteConfigurationChange, type ConfigScope } from './read-configuration.ts';

/** Where an administrator may write: their own domain and what lies inside it, never SYSTEM. */
export type WritableScope = Exclude<ConfigScope, 'SYSTEM'>;

export interface SetConfigurationArgs {
  /** Documented name of the value. */
  key: string;
  scope: WritableScope;
  /** Name of the profile, unit or department, or login of the user; not for DOMAIN. */
  subject?: string | null | undefined;
  /** Null or undefined takes the value of this scope away, so that the next wider scope counts again. */
  value?: unknown;
}

/**
 * Sets or removes one configured value at one scope inside the viewer's domain; from the next request on it holds on every replica. GraphQL
 * `setConfiguration`. Throws ForbiddenError without the permission DOMAIN_ADMIN, NotFoundError for an unknown subject, ValidationError.
 */
export async function setConfiguration(
  ctx: SignedInContext,
  args: SetConfigurationArgs,
): Promise<void> {
  const viewer = requirePermission(ctx, 'DOMAIN_ADMIN');
  const value = args.value ?? null;
  const schema = Object.hasOwn(configValues, args.key) ? configValues[args.key] : undefined;
  if (!schema)
    throw new ValidationError([
      { path: ['input', 'key'], message: 'is not a configuration value', code: 'UNKNOWN_KEY' },
    ]);
  const checked = value === null ? undefined : schema.safeParse(value);
  if (checked?.error) {
    throw new ValidationError(
      checked.error.issues.map((issue) => ({
        path: ['input', 'value', ...issue.path.map(String)],
        message: issue.message,
        code: issue.code.toUpperCase(),
      })),
    );
  }
  const scopeId = await findSubject(ctx.db, viewer.domainId, args);
  const { domainId } = viewer;
  const [row] = await ctx.db.transaction(async (client) => {
    if (value === null) {
      await client.query(
        'DELETE FROM config_entry WHERE scope = $1 AND scope_id = $2 AND key = $3',
        [args.scope, scopeId, args.key],
      );
    } else {
      await client.query(
        `INSERT INTO config_entry (scope, scope_id, key, value) VALUES ($1, $2, $3, $4::jsonb)
         ON CONFLICT (scope, scope_id, key) DO UPDATE SET value = excluded.value`,
        [args.scope, scopeId, args.key, JSON.stringify(value)],
      );
    }
    await writeAuditLog(client, {
      actor: `user:${viewer.userId}`,
      action: 'setConfiguration',
      target: `${args.scope} ${scopeId} ${args.key}`,
      at: new Date(ctx.clock()),
    });
    return (
      await client.query<{ config_version: number }>(
        'SELECT config_version FROM domain WHERE id = $1',
        [domainId],
      )
    ).rows;
  });
  if (row) noteConfigurationChange(ctx, row.config_version);
}

const tables = { PROFILE: 'profile', UNIT: 'unit', DEPT: 'dept' } as const;

/** Id of what the scope is about, inside the domain. */
async function findSubject(
  db: Database,
  domainId: number,
  { scope, subject }: SetConfigurationArgs,
): Promise<number> {
  const refuse = (message: string): never => {
    throw new ValidationError([{ path: ['input', 'subject'], message, code: 'INVALID_SUBJECT' }]);
  };
  if (scope === 'DOMAIN')
    return subject ? refuse('goes with PROFILE, UNIT, DEPT and USER') : domainId;
  if (!subject?.isWellFormed() || subject.includes('\0'))
    return refuse(`must name the ${scope.toLowerCase()}`);
  const [row] =
    scope === 'USER'
      ? await db.rows('SELECT id FROM "user" WHERE domain_id = $1 AND login = $2', [
          domainId,
          subject.normalize('NFC').toLowerCase(),
        ])
      : await db.rows(`SELECT id FROM ${tables[scope]} WHERE domain_id = $1 AND name_fold = $2`, [
          domainId,
          fold(subject),
        ]);
  if (!row)
    throw new NotFoundError(
      scope === 'USER'
        ? 'User'
        : scope === 'PROFILE'
          ? 'Profile'
          : scope === 'UNIT'
            ? 'Unit'
            : 'Dept',
    );
  return Number(row[0]);
}
