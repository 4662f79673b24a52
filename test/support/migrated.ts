import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { sessionOf } from '../../src/core/database/pglite-session.ts';
import { PGliteStream } from '../../src/core/database/pglite-stream.ts';
import { apartOn, type Apart } from '../../src/core/migrations/connect-apart.ts';
import { openEmbeddedCopy } from './embedded-copy.ts';

/** An empty database without our tables, for migrations of a test. */
export interface BareDatabase {
  pool: pg.Pool;
  apart: Apart;
  alone: boolean;
  close(): Promise<void>;
}

/** PGlite, or a database of its own on the server of TEST_DATABASE_URL, made with `options`. */
export async function bareDatabase(options = ''): Promise<BareDatabase> {
  const template = inject('template');
  if (template.kind === 'embedded') {
    const pglite = await openEmbeddedCopy(template.file);
    await pglite.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const stream = (): PGliteStream => new PGliteStream(sessionOf(pglite));
    const pool = new pg.Pool({ max: 1, user: 'postgres', database: 'postgres', stream });
    const close = async (): Promise<void> => {
      await pool.end();
      await pglite.close();
    };
    return { pool, apart: apartOn(undefined, pool), alone: true, close };
  }
  const name = `${template.name}_${randomBytes(4).toString('hex')}`;
  const admin = new pg.Client({ connectionString: template.url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ${options}`);
  await admin.end();
  const own = new URL(template.url);
  own.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: own.href });
  pool.on('error', () => undefined);
  return {
    pool,
    apart: apartOn({ url: own.href }, pool),
    alone: false,
    close: () => pool.end(),
  };
}

/** Is there a server, on which several connections can be open? */
export const hasServer = (): boolean => inject('template').kind === 'server';

/** A folder of migrations, whose files are named below them. */
export class MigrationFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'trivium-migrations-'));

  constructor(released: string) {
    writeFileSync(join(this.path, 'release.json'), JSON.stringify({ migration: released }));
  }

  add(name: string, files: Record<string, string>): this {
    mkdirSync(join(this.path, name), { recursive: true });
    for (const [file, sql] of Object.entries(files))
      writeFileSync(join(this.path, name, `${file}.sql`), sql);
    return this;
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}
