import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packageRoot } from '../package-root.ts';
import { readMigrations } from '../migrations/read-migrations.ts';

/** Where one may be: made after an installation, or with a build. */
const FOLDERS = ['.build', 'dist'];

/** What differs between databases that were made from one template: positions of one are not valid in another. */
export const MAKE_ITS_OWN = `UPDATE change_log_state SET log_id = substr(md5(random()::text || clock_timestamp()::text), 1, 8)`;

/**
 * Lets the log of changes start anew: clients may have seen what came after the backup, in transactions whose numbers
 * are given again.
 */
export const DOUBT_ITS_LOG = `UPDATE change_log_state SET horizon_xid = ${Number.MAX_SAFE_INTEGER}`;

/** How it is made: another number when make-template.ts makes another one of the same migrations. */
const EDITION = 2;

/**
 * The name of the template of an embedded database: an empty one, migrated, with statistics for the planner, which saves
 * a first start most of its time. It names the version of PGlite and the migrations, so that none but the current one is
 * ever found.
 */
export async function templateName(): Promise<string> {
  const pglite = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const hash = createHash('sha256').update(
    readFileSync(join(dirname(pglite), '../package.json'), 'utf8') + String(EDITION),
  );
  for (const { name, checksum, steps } of await readMigrations()) {
    hash.update(`${name} ${checksum}\n`);
    for (const step of steps) hash.update(`${step.name} ${step.checksum}\n`);
  }
  return `database-${hash.digest('hex').slice(0, 32)}.tar.gz`;
}

/** The current template, if it was made. */
export async function findTemplate(): Promise<string | undefined> {
  const name = await templateName();
  return FOLDERS.map((folder) => join(packageRoot, folder, name)).find((file) => existsSync(file));
}
