import * as z from 'zod';
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

/** Sets or removes one entry; within a transaction of the caller. Returns how the audit log names the entry. */
export async function writeConfiguration(
  db: Database,
  { scope, scopeId, key, value }: ConfigEntry,
): Promise<string> {
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
  return `${scope} ${scopeId} ${key}`;
}
