/**
 * Starts the gateway as `npm start` does, in a temporary folder with the embedded demo, and sends every request of the README and the tour, the tabs that GraphiQL opens with, the examples of
 * /explain, and every list of both faces as large as it may be asked for: each once cold, then several times. /healthz is polled beside. Prints the time of each and the longest that /healthz took meanwhile; exit code 1
 * when one of them, warm, or /healthz takes longer than the aim.
 * usage: npm run bench:start     ROUNDS=5 by default
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readmeRequests, signInOf, tabsOf, type Asked } from './support/read-requests.ts';
import { heavyRequests } from './support/heavy-requests.ts';
import { watchHealth } from './support/watch-health.ts';

const AIM = 100;
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const root = fileURLToPath(new URL('..', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'trivium-default-start-'));
const gateway = spawn(process.execPath, ['scripts/start.mjs'], {
  cwd: root,
  env: {
    ...process.env,
    DATABASE_URL: '',
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    LOG_LEVEL: 'warn',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const { url, key } = await readWelcome();
  process.exitCode = await run(url, key);
} finally {
  gateway.kill('SIGTERM');
  if (gateway.exitCode === null) await once(gateway, 'exit');
  rmSync(folder, { recursive: true, force: true });
}

/** Where the gateway is, and the key of the demo customer. */
function readWelcome(): Promise<{ url: string; key: string }> {
  let output = '';
  return new Promise((resolve, reject) => {
    gateway.stdout.on('data', (chunk: Buffer) => {
      output += String(chunk);
      const [, url] = /ready at (\S+)\n/.exec(output) ?? [];
      const [, key] = /^API-Key: (\S+)\n/m.exec(output) ?? [];
      if (url !== undefined && key !== undefined) resolve({ url, key });
    });
    gateway.once('exit', () => reject(new Error(`the gateway did not start: ${output}`)));
  });
}

async function run(url: string, key: string): Promise<number> {
  const token = await signInOf(url);
  const asked: Asked[] = [
    ...readmeRequests(join(root, 'README.md')),
    ...readmeRequests(join(root, 'docs/tour.md')),
    ...(await tabsOf(url)),
    ...heavyRequests(Date.now()),
  ];
  let slow = 0;
  console.log('cold ms | warm ms, median and most | /healthz at most | status | request');
  for (const request of asked) {
    const health = watchHealth(url);
    const times: number[] = [];
    let status = 0;
    for (let round = 0; round <= ROUNDS; round++) {
      const startedAt = performance.now();
      const answer = await fetch(url + request.path, {
        method: request.body === undefined ? 'GET' : 'POST',
        headers: {
          'x-service-csrf-token-x': token,
          'content-type': 'application/json',
          ...(request.path.includes('task-tracker') && { 'api-key': key, customerid: 'demo' }),
        },
        ...(request.body !== undefined && { body: request.body }),
      });
      // A stream never ends: what counts is how soon it begins.
      if (answer.headers.get('content-type')?.startsWith('text/event-stream'))
        await answer.body?.cancel();
      else await answer.arrayBuffer();
      times.push(performance.now() - startedAt);
      status = answer.status;
    }
    const held = await health();
    const [cold = 0, ...warm] = times;
    const sorted = warm.sort((a, b) => a - b);
    const most = sorted.at(-1) ?? 0;
    const over = most > AIM || held > AIM || status >= 500;
    if (over) slow++;
    console.log(
      [
        `${over ? '✗' : ' '}${cold.toFixed(0).padStart(6)}`,
        `${(sorted[sorted.length >> 1] ?? 0).toFixed(0)}, ${most.toFixed(0)}`.padStart(10),
        held.toFixed(0).padStart(5),
        status,
        request.name,
      ].join(' | '),
    );
  }
  console.log(slow > 0 ? `${slow} over ${AIM} ms` : `all within ${AIM} ms`);
  return slow > 0 ? 1 : 0;
}
