import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { utimesSync, writeFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const checkout = mkdtempSync(join(tmpdir(), 'trivium-checkout-'));
const builds = join(checkout, '.build');
afterAll(() => rmSync(checkout, { recursive: true, force: true }));
for (const name of ['bin', 'prisma', 'scripts', 'src', 'package.json'])
  cpSync(name, join(checkout, name), { recursive: true });
symlinkSync(resolve('node_modules'), join(checkout, 'node_modules'));

/** What the command line of the checkout prints. */
function help(): Promise<string> {
  const child = spawn(process.execPath, [join(checkout, 'bin/trivium.js'), '--help'], {
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += String(chunk)));
  return new Promise((done, fail) =>
    child.once('close', (code) =>
      code === 0 ? done(output) : fail(new Error(`left with ${code}`)),
    ),
  );
}

const stateOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/(^|\/)cache(\/|$)/.test(name))
    .map((name) => `${name} ${statSync(join(folder, name)).mtimeMs}`);

it('runs the sources as they are: compiled once, by one of those that start together, and again after an edit', async () => {
  const [first, second] = await Promise.all([help(), help()]);
  expect([second, first]).toEqual([first, expect.stringContaining('Usage: trivium')]);
  expect(readdirSync(builds)).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);

  const before = stateOf(builds);
  await help();
  expect(stateOf(builds)).toEqual(before);

  // Of the same size and time: only the content tells.
  const edited = join(checkout, 'src/cli.ts');
  const { atime, mtime } = statSync(edited);
  writeFileSync(edited, readFileSync(edited, 'utf8').replace('Gateway for', 'GATEWAY FOR'));
  utimesSync(edited, atime, mtime);
  // Left by a process that was killed; no process has this number.
  writeFileSync(join(builds, 'lock'), '4194305');
  expect(await help()).toContain('GATEWAY FOR');
  expect(readdirSync(builds)).toHaveLength(2);
}, 120_000);
