import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { openDatabase } from './db.ts';
import { templateName } from './template.ts';

// Makes the template of an embedded database, unless it is there: node --import tsx src/core/database/make-template.ts FOLDER

const folder = process.argv[2] ?? 'dist';
const name = await templateName();
const file = join(folder, name);
if (!existsSync(file)) {
  const pglite = await PGlite.create();
  const db = await openDatabase({ database: { kind: 'memory', pglite } });
  // A start then has to analyse only what grows.
  await pglite.exec('ANALYZE; CHECKPOINT');
  const image = await pglite.dumpDataDir('gzip');
  mkdirSync(folder, { recursive: true });
  // Never there in part.
  writeFileSync(`${file}.${process.pid}`, Buffer.from(await image.arrayBuffer()));
  renameSync(`${file}.${process.pid}`, file);
  for (const old of readdirSync(folder))
    if (/^database-.*\.tar\.gz$/.test(old) && old !== name) rmSync(join(folder, old));
  await db.close();
}
