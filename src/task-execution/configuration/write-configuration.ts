import { z } from 'zod';
import { writeAuditLog } from '../../core/context/write-audit-log.ts';
import type { Database } from '../../core/database/db.ts';
import type { ConfigScope } from './read-configuration.ts';

/** What a scope says of a key. */
export interface ConfigEntry {
  scope: ConfigScope;
  scopeId: number;
  key: string;
  /** A JSON value; undefined removes the entry. */
  value: unknown;
}

const json = z.json();

/** Sets or removes one entry, and writes to the audit log who did it; within a transaction of the caller. */
export async function writeConfiguration(
  db: Database,
  { scope, scopeId, key, value }: ConfigEntry,
  by: { actor: string; at: Date },
): Promise<void> {
  const { configEntry } = db.prisma;
  const id = { scope, scopeId, key };
  if (value === undefined) {
    await configEntry.deleteMany({ where: id });
  } else {
    const { Prisma } = await import('../../generated/prisma/client.ts');
    const data = { value: json.parse(value) ?? Prisma.JsonNull };
    await configEntry.upsert({
      where: { scope_scopeId_key: id },
      create: { ...id, ...data },
      update: data,
    });
  }
  const target = `${scope} ${scopeId} ${key}`;
  await writeAuditLog(db, { ...by, action: 'setConfiguration', target });
}
