import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { until } from '../faults/fault.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const options = { cwd: root, encoding: 'utf8' } as const;

/** The commit that a revision names, if it is here: a shallow clone has few. */
export function commitOf(revision: string): string | undefined {
  try {
    const args = ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`];
    return execFileSync('git', args, options).trim();
  } catch {
    return undefined;
  }
}

/** The revision of the last release. */
export function releasedRevision(): string {
  const text = readFileSync(join(root, 'prisma/migrations/release.json'), 'utf8');
  return (JSON.parse(text) as { revision: string }).revision;
}

/** Checks a commit out, installs and builds it, in a folder that is kept for the next time. */
export function buildOld(commit: string): string {
  const folder = join(root, '.build', `released-${commit}`);
  if (existsSync(folder)) return folder;
  const made = `${folder}.${process.pid}`;
  mkdirSync(made, { recursive: true });
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1e9 });
  execFileSync('tar', ['-x', '-C', made], { input: archive });
  const lock = (at: string): string => readFileSync(join(at, 'package-lock.json'), 'utf8');
  const run = (...args: string[]): void =>
    void execFileSync('npm', args, { cwd: made, stdio: ['ignore', 'ignore', 'inherit'] });
  // The same packages are installed here already.
  if (lock(made) === lock(root))
    symlinkSync(join(root, 'node_modules'), join(made, 'node_modules'));
  else run('ci', '--ignore-scripts', '--no-audit', '--no-fund');
  run('run', '-s', 'build');
  renameSync(made, folder);
  for (const name of readdirSync(join(root, '.build')))
    if (name.startsWith('released-') && name !== `released-${commit}`)
      rmSync(join(root, '.build', name), { recursive: true });
  return folder;
}

const COLUMN = 'upgrade_test';
/** Of the migration that the test adds, with a lock on two tables that every request uses, an index and a back-fill. */
export const added = { column: COLUMN, index: `feed_${COLUMN}`, steps: 2 };

const files = {
  'migration.sql': `ALTER TABLE "feed" ADD COLUMN "${COLUMN}" INTEGER;
ALTER TABLE "session" ADD COLUMN "${COLUMN}" TEXT NOT NULL DEFAULT '';
CREATE FUNCTION "${COLUMN}"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."${COLUMN}" := length(NEW."title");
  RETURN NEW;
END $$;
CREATE TRIGGER "${COLUMN}" BEFORE INSERT OR UPDATE ON "feed" FOR EACH ROW EXECUTE FUNCTION "${COLUMN}"();
`,
  'step-1-fill.sql': `-- before serving
WITH batch AS (SELECT "feed_key" FROM "feed" WHERE "feed_key" > coalesce($1, '0')::bigint ORDER BY "feed_key" LIMIT 200 FOR UPDATE),
  filled AS (UPDATE "feed" f SET "${COLUMN}" = length(f."title") FROM batch WHERE f."feed_key" = batch."feed_key")
SELECT batch."feed_key"::text FROM batch ORDER BY batch."feed_key" DESC LIMIT 1;
`,
  'step-2-index.sql': `-- while serving
CREATE INDEX CONCURRENTLY "${added.index}" ON "feed"("${COLUMN}");
`,
};

/** What this checkout is, compiled, with one migration more. */
export function buildNew(): string {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-upgrade-'));
  for (const name of ['package.json', 'schema.graphql', 'prisma/migrations'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const migration = join(folder, 'prisma/migrations', `99990101000000_${COLUMN}`);
  mkdirSync(migration);
  for (const [name, sql] of Object.entries(files)) writeFileSync(join(migration, name), sql);
  execFileSync(process.execPath, ['scripts/bundle.mjs', join(folder, 'dist')], options);
  return folder;
}

/** Removes what buildNew made. */
export const removeNew = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/** Runs a command of a build's command line and returns what it prints. */
export function runCli(folder: string, env: Record<string, string>, ...args: string[]): string {
  return execFileSync(process.execPath, [join(folder, 'dist/cli.js'), ...args], {
    ...options,
    env: { ...process.env, ...env },
  }).trim();
}

/** Starts a gateway of a build and waits until it is ready. */
export async function startBuild(
  folder: string,
  port: number,
  env: Record<string, string>,
): Promise<ChildProcess> {
  const own = { NODE_ENV: 'production', DEMO: 'false', LOG_LEVEL: 'warn', RATE_LIMIT: '0' };
  const child = spawn(process.execPath, [join(folder, 'dist/main.js')], {
    cwd: folder,
    env: { ...process.env, ...own, PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // The welcome is of no interest, warnings are.
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('{')) console.log(line);
  });
  const ready = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  const waited = await until(async () => child.exitCode !== null || (await ready()), 300_000);
  if (waited === undefined || child.exitCode !== null) {
    child.kill('SIGKILL');
    throw new Error(`the gateway of ${folder} does not start`);
  }
  return child;
}
