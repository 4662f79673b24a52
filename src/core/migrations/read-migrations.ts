import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../package-root.ts';

/** Work of a migration outside its transaction, while gateways serve: an index, or rows to fill in batches. */
export interface Step {
  migration: string;
  name: string;
  sql: string;
  checksum: string;
  /** Gateways that know it serve only when it is done. */
  waits: boolean;
}

export interface Migration {
  name: string;
  sql: string;
  checksum: string;
  steps: Step[];
  /** Of a contract: the migration that a gateway must know to work on what is left, and the version that brought it. */
  needs: { migration: string; version: string } | undefined;
}

const shipped = join(packageRoot, 'prisma/migrations');
const CONTRACT = /^-- contract, needs (\S+) \((\S+)\)$/m;

/** All migrations of a folder, in their order. */
export async function readMigrations(folder = shipped): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8');
      const [, migration, version] = CONTRACT.exec(sql) ?? [];
      const needs = migration && version ? { migration, version } : undefined;
      return { name, sql, checksum: hash(sql), steps: await readSteps(folder, name), needs };
    }),
  );
}

/** The last migration of the release before: whatever comes up to it never runs beside gateways that don't know it. */
export async function lastReleased(folder = shipped): Promise<string> {
  const { migration } = JSON.parse(await readFile(join(folder, 'release.json'), 'utf8')) as {
    migration: string;
  };
  return migration;
}

async function readSteps(folder: string, migration: string): Promise<Step[]> {
  const files = await readdir(join(folder, migration));
  const steps = files
    .filter((file) => /^step-\d+-[\w-]+\.sql$/.test(file))
    .sort((a, b) => numberOf(a) - numberOf(b));
  return Promise.all(
    steps.map(async (file) => {
      const sql = await readFile(join(folder, migration, file), 'utf8');
      const waits = sql.startsWith('-- before serving\n');
      return { migration, name: file.slice(0, -'.sql'.length), sql, checksum: hash(sql), waits };
    }),
  );
}

const numberOf = (file: string): number => Number(file.split('-')[1]);
const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
