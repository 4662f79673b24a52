import { writeAuditLog } from '../../core/context/write-audit-log.ts';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { loginField, nameField } from '../../core/records/record-fields.ts';
import {
  changedIf,
  findDomain,
  type Effect,
  type ImportRun,
  type RecordKind,
} from '../../core/records/record-kind.ts';
import { fold } from '../../core/text.ts';
import { configFaults, configValues } from './config-values.ts';
import { leaveVersion, raiseVersion } from './configuration.sql.ts';
import { writeConfiguration } from './write-configuration.ts';

const inDomain = {
  record: z.literal('config'),
  domain: nameField,
  key: z.enum(Object.keys(configValues)),
  value: z.unknown(),
};

const schema = z
  .discriminatedUnion('scope', [
    z.strictObject({ ...inDomain, scope: z.literal('SYSTEM') }).omit({ domain: true }),
    z.strictObject({ ...inDomain, scope: z.literal('DOMAIN') }),
    z.strictObject({ ...inDomain, scope: z.literal('PROFILE'), profile: nameField }),
    z.strictObject({ ...inDomain, scope: z.literal('UNIT'), unit: nameField }),
    z.strictObject({ ...inDomain, scope: z.literal('DEPT'), dept: nameField }),
    z.strictObject({ ...inDomain, scope: z.literal('USER'), user: loginField }),
  ])
  .superRefine((record, context) => {
    for (const { path, message } of configFaults(record.key, record.value))
      context.addIssue({ code: 'custom', path: ['value', ...path], message });
  })
  .meta({
    description:
      'One configured value at one scope; the most specific scope wins whole: SYSTEM < DOMAIN < PROFILE < UNIT < DEPT < USER.',
  });

type ConfigRecord = z.infer<typeof schema>;

/** Imports that have written configuration. */
const writing = new WeakSet<ImportRun>();

/** Import record `config`. */
export const configRecord: RecordKind<ConfigRecord> = {
  name: 'config',
  schema,
  key: (value) =>
    `${value.key} ${value.scope} ${'domain' in value ? value.domain : ''} ${fold(subject(value))}`,
  logins: (value) => (value.scope === 'USER' ? [value.user] : []),
  async write(batch, run) {
    const entries = batch.flatMap(({ line, value }) => {
      const scopeId = findScope(line, value, run);
      return scopeId === undefined
        ? []
        : [{ scope: value.scope, scopeId, key: value.key, value: value.value }];
    });
    const known = await run.db.prisma.configEntry.findMany({
      where: {
        scopeId: { in: entries.map(({ scopeId }) => scopeId) },
        key: { in: entries.map(({ key }) => key) },
      },
    });
    const effects: Effect[] = [];
    for (const entry of entries) {
      const { scope, scopeId, key } = entry;
      const old = known.find(
        (it) => it.scopeId === scopeId && it.scope === scope && it.key === key,
      );
      const isSame = isDeepStrictEqual(old, entry);
      effects.push(old ? changedIf(!isSame) : 'new');
      if (isSame) continue;
      // Any write changes the version of the configuration, after which every gateway reads all of it again: once, at the end.
      if (!writing.has(run)) await leaveVersion.rows(run.db, {});
      writing.add(run);
      await writeAuditLog(run.db, {
        actor: 'operator',
        surface: 'IMPORT',
        action: 'setConfiguration',
        target: await writeConfiguration(run.db, entry),
        at: new Date(run.now),
      });
    }
    return effects;
  },
  async finish(run) {
    if (writing.has(run)) await raiseVersion.rows(run.db, {});
  },
};

/** Whom the scope names in its domain. */
function subject(value: ConfigRecord): string {
  const names: { scope: string; profile?: string; unit?: string; dept?: string; user?: string } =
    value;
  return names.profile ?? names.unit ?? names.dept ?? names.user ?? '';
}

const scopeKinds = { PROFILE: 'profile', UNIT: 'unit', DEPT: 'dept' } as const;

/** Id of the domain, profile, unit, department or user; 0 for SYSTEM. */
function findScope(line: number, value: ConfigRecord, run: ImportRun): number | undefined {
  const { directory } = run;
  if (value.scope === 'SYSTEM') return 0;
  const domainId = findDomain(run, line, value.domain);
  if (domainId === undefined) return undefined;
  if (value.scope === 'DOMAIN') return domainId;
  if (value.scope === 'USER') {
    const user = directory.user(value.user);
    if (user?.domainId === domainId) return user.id;
    run.problem(line, 'user', `no user "${value.user}" in domain "${value.domain}"`);
    return undefined;
  }
  const kind = scopeKinds[value.scope];
  const entry = directory.scope(kind, domainId, subject(value));
  if (!entry) run.problem(line, kind, `no ${kind} "${subject(value)}" in domain "${value.domain}"`);
  return entry?.id;
}
