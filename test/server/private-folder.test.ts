import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gatewayProgram } from '../support/trivium.ts';

// A process of its own, as the umask is the whole process's.
const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'trivium-private-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const entries = (top: string): { path: string; isFolder: boolean }[] => [
  { path: top, isFolder: true },
  ...readdirSync(top, { recursive: true, withFileTypes: true }).map((entry) => ({
    path: join(entry.parentPath, entry.name),
    isFolder: entry.isDirectory(),
  })),
];
const open = (top: string): string[] =>
  entries(top)
    .map(({ path }) => `${path} ${(statSync(path).mode & 0o777).toString(8)}`)
    .filter((line) => !/ [67]00$/.test(line));

/** Runs a gateway from a shell whose umask lets everybody do everything; stops it when it is ready. */
async function run(env: Record<string, string>): Promise<void> {
  const child = spawn('sh', ['-c', 'umask 0; exec "$@"', 'sh', process.execPath, gatewayProgram], {
    cwd: root,
    env: {
      ...process.env,
      DATABASE_URL: '',
      PORT: '0',
      HOST: '',
      DEMO: 'false',
      LOG_LEVEL: 'silent',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), exited]);
  child.kill('SIGTERM');
  expect((await exited)[0]).toBe(0);
}

it(
  'makes the data folder its owner’s alone, whatever the umask, and closes one that was open',
  { timeout: 240_000 },
  async () => {
    const DATA_DIR = join(folder, 'data');
    await run({ DATA_DIR });
    expect(entries(DATA_DIR).length).toBeGreaterThan(500);
    expect(open(DATA_DIR)).toEqual([]);

    for (const name of ['objects', 'staging'])
      mkdirSync(join(DATA_DIR, 'blobs', name, 'ab'), { recursive: true });
    writeFileSync(join(DATA_DIR, 'blobs', 'objects', 'ab', 'cd'), 'x', { mode: 0o600 });
    for (const { path, isFolder } of entries(DATA_DIR)) chmodSync(path, isFolder ? 0o777 : 0o666);
    await run({ DATA_DIR });
    // Below a folder that is closed nobody can enter, so the images, of which there may be millions, are not gone through.
    expect(
      open(DATA_DIR).filter(
        (line) => !/blobs\/(objects|staging)\/ab/.test(line) && !/blobs 777$/.test(line),
      ),
    ).toEqual([]);
    expect(statSync(join(DATA_DIR, 'blobs', 'objects')).mode & 0o777).toBe(0o700);
  },
);
