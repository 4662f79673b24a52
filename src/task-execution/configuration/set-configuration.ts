import { tellAct } from '../../core/context/act.ts';
import { requirePermission } from '../../auth/guards.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import { ValidationError, invalidField } from '../../core/errors.ts';
import { fold, foldLogin, isStorable } from '../../core/text.ts';
import { configFaults, configValues } from './config-values.ts';
import { noteConfigurationChange, type ConfigScope } from './read-configuration.ts';
import { writeConfiguration } from './write-configuration.ts';

/** Scopes that an administrator may write: their own domain and everything in it, never SYSTEM. */
export type WritableScope = Exclude<ConfigScope, 'SYSTEM'>;

export interface SetConfigurationArgs {
  /** Documented name of the value. */
  key: string;
  scope: WritableScope;
  /** Name of the profile, unit or department, or login of the user; not for DOMAIN. */
  subject?: string | null | undefined;
  /** Null or undefined removes the value of this scope, so that the next wider scope applies again. */
  value?: unknown;
}

/**
 * Sets or removes one configured value at one scope inside the viewer's domain; it applies from the next request on, on
 * every gateway. GraphQL `setConfiguration`. Throws ForbiddenError without the permission DOMAIN_ADMIN, NotFoundError
 * for an unknown subject, ValidationError.
 */
export async function setConfiguration(
  ctx: SignedInContext,
  args: SetConfigurationArgs,
): Promise<void> {
  requirePermission(ctx, 'DOMAIN_ADMIN');
  const value = args.value ?? null;
  if (!Object.hasOwn(configValues, args.key))
    throw invalidField('key', 'is not a configuration value', 'UNKNOWN_KEY');
  const faults = value === null ? [] : configFaults(args.key, value);
  if (faults.length > 0)
    throw new ValidationError(
      faults.map(({ path, message, code }) => ({
        path: ['input', 'value', ...path.map(String)],
        message,
        code: code?.toUpperCase() ?? 'INVALID',
      })),
    );
  const scopeId = await findSubject(ctx, args);
  await inTransaction(ctx, async ({ db }) => {
    const entry = { scope: args.scope, scopeId, key: args.key, value: value ?? undefined };
    tellAct(ctx, { target: await writeConfiguration(db, entry) });
  });
  noteConfigurationChange(ctx);
}

/** Id of the scope's subject, inside the viewer's domain. */
async function findSubject(
  { db, viewer: { domainId } }: SignedInContext,
  { scope, subject }: SetConfigurationArgs,
): Promise<number> {
  const refuse = (message: string): never => {
    throw invalidField('subject', message, 'INVALID_SUBJECT');
  };
  if (scope === 'DOMAIN')
    return subject ? refuse('goes with PROFILE, UNIT, DEPT and USER') : domainId;
  if (subject == null || !isStorable(subject))
    return refuse(`must name the ${scope.toLowerCase()}`);
  const { user, profile, unit, dept } = db.prisma;
  const login = foldLogin(subject);
  const named = { where: { domainId, nameFold: fold(subject) }, select: { id: true } };
  const found = {
    USER: () => user.findFirstOrThrow({ where: { domainId, login }, select: { id: true } }),
    PROFILE: () => profile.findFirstOrThrow(named),
    UNIT: () => unit.findFirstOrThrow(named),
    DEPT: () => dept.findFirstOrThrow(named),
  };
  return (await found[scope]()).id;
}
