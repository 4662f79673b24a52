import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/core/database/db.ts';

/** Where a test file gets its own database from: a PGlite image, or a template database on the server of TEST_DATABASE_URL. */
export type Template =
  { kind: 'embedded'; file: string } | { kind: 'server'; url: string; name: string };

declare module 'vitest' {
  export interface ProvidedContext {
    template: Template;
  }
}

/** Migrates one empty database, of which every test file gets a copy. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env['TEST_DATABASE_URL'];
  return url ? server(project, url) : embedded(project);
}

async function embedded(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-test-'));
  const pglite = await PGlite.create();
  const db = await openDatabase({ database: { kind: 'memory', pglite } });
  const file = join(folder, 'template.tar');
  writeFileSync(file, Buffer.from(await (await pglite.dumpDataDir('none')).arrayBuffer()));
  await db.close();
  project.provide('template', { kind: 'embedded', file });
  return () => Promise.resolve(rmSync(folder, { recursive: true, force: true }));
}

async function server(project: TestProject, url: string): Promise<() => Promise<void>> {
  const name = `trivium_test_${randomBytes(4).toString('hex')}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  const own = new URL(url);
  own.pathname = `/${name}`;
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
