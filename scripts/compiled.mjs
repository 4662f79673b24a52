import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import * as node from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';
import { generate, isGenerated } from './generate.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const builds = join(root, '.build');

/** Builds that stay: a gateway that runs reads further files of its own. */
const KEPT = 5;

/**
 * The URL of a program, compiled from the sources as they are now. Each state of the sources has a folder of its own in
 * .build, named by its hash: what is there is never out of date and never changed. Writes nothing where it exists.
 */
export async function compiled(program) {
  let folder = isGenerated() ? folderOfNow() : undefined;
  if (folder === undefined || !existsSync(folder)) folder = await alone(compile);
  // Node ≥ 22.1 keeps what it compiles.
  node.enableCompileCache?.(join(folder, 'cache'));
  return pathToFileURL(join(folder, `${program}.js`)).href;
}

function folderOfNow() {
  const hash = createHash('sha256');
  const sources = readdirSync(join(root, 'src'), { recursive: true })
    .map((name) => join('src', name))
    .filter((name) => name.endsWith('.ts') && !name.startsWith(join('src', 'generated', 'client')))
    .sort();
  const installed = join('node_modules', '.package-lock.json');
  for (const name of ['package.json', installed, 'scripts/bundle.mjs', ...sources])
    if (name !== installed || existsSync(join(root, name)))
      hash
        .update(name)
        .update('\0')
        .update(readFileSync(join(root, name)));
  return join(builds, hash.digest('hex').slice(0, 32));
}

async function compile() {
  generate();
  const folder = folderOfNow();
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  await bundle(unfinished);
  renameSync(unfinished, folder);
  const byAge = readdirSync(builds)
    .filter((name) => /^[0-9a-f]{32}/.test(name))
    .map((name) => join(builds, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const old of byAge.slice(KEPT)) rmSync(old, { recursive: true, force: true });
  return folder;
}

const lock = join(builds, 'lock');

/** Starts that find nothing compiled wait for the first of them. A process that is gone holds nothing. */
async function alone(work) {
  mkdirSync(builds, { recursive: true });
  const own = `${lock}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  for (;;) {
    try {
      // Never without its content, unlike a file that is created.
      linkSync(own, lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (holds(readHolder())) await new Promise((resolve) => setTimeout(resolve, 100));
      else rmSync(lock, { force: true });
    }
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
    rmSync(own, { force: true });
  }
}

function readHolder() {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return 0;
  }
}

function holds(pid) {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
