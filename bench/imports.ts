/**
 * Imports feeds into new databases, on PostgreSQL and embedded, as `trivium import` does beside a gateway: some, and four times as many. Prints how many a second are stored, which should be about the
 * same, and the longest that /healthz took meanwhile.
 * usage: node --import tsx bench/imports.ts [feeds]     10000 by default
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { feedsOfUnit, organisation, UNITS } from './data/records.ts';
import { startPostgres } from './support/own-postgres.ts';
import { watchHealth } from './support/watch-health.ts';

const FEEDS = Number(process.argv[2] ?? 10_000);
const trivium = fileURLToPath(new URL('../bin/trivium.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'trivium-imports-'));

try {
  for (const feeds of [FEEDS, 4 * FEEDS]) {
    const file = join(folder, `${feeds}.ndjson`);
    const records = [...organisation()];
    for (let unit = 0; unit < UNITS; unit++)
      records.push(...feedsOfUnit(unit, feeds / UNITS, Date.now()));
    writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const server = await startPostgres();
    await load('PostgreSQL', file, feeds, { DATABASE_URL: server.url }).finally(() =>
      server.stop(),
    );
    await load('embedded', file, feeds, {
      DATABASE_URL: '',
      DATA_DIR: join(folder, String(feeds)),
    });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Imports a file into the new database that `env` names. */
async function load(
  what: string,
  file: string,
  feeds: number,
  env: Record<string, string>,
): Promise<void> {
  const options = {
    cwd: folder,
    env: { ...process.env, DEMO: 'false', PORT: '0', LOG_LEVEL: 'warn', ...env },
  };
  const gateway = spawn(process.execPath, [trivium, 'serve'], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(gateway, 'exit');
  try {
    const longest = watchHealth(await readUrl(gateway.stdout));
    const began = performance.now();
    await promisify(execFile)(process.execPath, [trivium, 'import', file], options);
    const seconds = (performance.now() - began) / 1000;
    const health = (await longest()).toFixed(0);
    console.log(
      `${what}: ${feeds} feeds in ${seconds.toFixed(1)} s, ${(feeds / seconds).toFixed(0)}/s; /healthz at most ${health} ms`,
    );
  } finally {
    gateway.kill('SIGTERM');
    await exit;
  }
}

function readUrl(output: NodeJS.ReadableStream): Promise<string> {
  let told = '';
  return new Promise((resolve, reject) => {
    output.on('data', (chunk: Buffer) => {
      told += String(chunk);
      const [, url] = /ready at (\S+)\n/.exec(told) ?? [];
      if (url !== undefined) resolve(url);
    });
    output.once('end', () => reject(new Error(`the gateway did not start: ${told}`)));
  });
}
