import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { findTemplate } from '../../src/core/database/template.ts';
import { isAlive, processStart } from '../../src/core/running-process.ts';

/** Where a test file gets its own database from: the template of embedded databases, or a template database on the server of TEST_DATABASE_URL. */
export type Template =
  { kind: 'embedded'; file: string } | { kind: 'server'; url: string; name: string };

/** The files of the command line and of the gateway, compiled from the sources as they are. */
export interface Programs {
  cli: string;
  gateway: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    template: Template;
    programs: Programs;
    /** Where this run has its temporary files. */
    temporary: string;
  }
}

/** Finds or makes one empty, migrated database, of which every test app gets a copy; and compiles what tests start. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  project.provide('programs', await compiledPrograms());
  project.onTestsRerun(async () => project.provide('programs', await compiledPrograms()));
  const url = process.env['TEST_DATABASE_URL'];
  const dropDatabases = url ? await server(project, url) : undefined;
  if (!url) project.provide('template', { kind: 'embedded', file: await embeddedTemplate() });
  const place = quickest();
  removeLeft(place);
  const temporary = mkdtempSync(
    join(place, `trivium-tests-${process.pid}-${processStart(process.pid)}-`),
  );
  project.provide('temporary', temporary);
  return async () => {
    try {
      await dropDatabases?.();
    } finally {
      rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
    }
  };
}

/** Removes what runs left that were killed an hour ago or earlier: it may be in memory. */
function removeLeft(place: string): void {
  for (const name of readdirSync(place)) {
    const [, pid, startedAt = ''] = /^trivium-tests-(\d+)-(\d*)-/.exec(name) ?? [];
    if (pid === undefined || isAlive({ pid: Number(pid), startedAt })) continue;
    const path = join(place, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && found.mtimeMs < Date.now() - 60 * 60_000)
      rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Linux' file system in memory, if nobody chose a place and there is memory to spare: the folder of an embedded database
 * is 1,300 files, which take a second on a disk. All tests together have less than half a gigabyte at a time.
 */
function quickest(): string {
  const memory = '/dev/shm';
  if (process.env['TMPDIR'] || freemem() < 12e9) return tmpdir();
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize < 2e9 ? tmpdir() : memory;
  } catch {
    return tmpdir();
  }
}

async function compiledPrograms(): Promise<Programs> {
  const { compiled } = (await import(
    new URL('../../scripts/compiled.mjs', import.meta.url).href
  )) as { compiled: (program: string) => Promise<string> };
  const [cli, gateway] = [await compiled('cli'), await compiled('main')];
  return { cli: fileURLToPath(cli), gateway: fileURLToPath(gateway) };
}

/** What `npm ci` made, unless a migration or PGlite changed since: its name tells. */
async function embeddedTemplate(): Promise<string> {
  const found = await findTemplate();
  if (found !== undefined) return found;
  const program = ['--import', 'tsx', 'src/core/database/make-template.ts', '.build'];
  execFileSync(process.execPath, program, { stdio: 'inherit' });
  const made = await findTemplate();
  if (made === undefined) throw new Error('no template of embedded databases was made');
  return made;
}

async function server(project: TestProject, url: string): Promise<() => Promise<void>> {
  const name = `trivium_test_${randomBytes(4).toString('hex')}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  const { openDatabase } = await import('../../src/core/database/db.ts');
  await (await openDatabase({ database: { kind: 'server', url: own.href, poolSize: 1 } })).close();
  project.provide('template', { kind: 'server', url, name });
  return async () => {
    const { rows } = await admin.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE datname LIKE $1',
      [`${name}%`],
    );
    for (const { datname } of rows)
      await admin.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
    await admin.end();
  };
}
