import { performance } from 'node:perf_hooks';
import { PGlite } from '@electric-sql/pglite';
import { createSession } from '../src/accounts/sessions/create-session.ts';
import { readConfig } from '../src/core/context/config.ts';
import type { Services } from '../src/core/context/context.ts';
import { createLog } from '../src/core/log.ts';
import { importRecords } from '../src/import/import-records.ts';
import { asLines } from '../src/import/read-lines.ts';
import { startGateway } from '../src/server/start.ts';
import { attacks } from '../test/support/attack-documents.ts';

// How long the gateway works on each GraphQL request that was made to hurt, over HTTP, warm, one at a time: each round sends another text, so that no
// cache answers. Prints the median and the slowest of ROUNDS (25) in milliseconds; ends with 1 when an answer is a 5xx, has no code, or takes longer than LIMIT_MS (50).

const rounds = Number(process.env['ROUNDS'] ?? 25);
const limit = Number(process.env['LIMIT_MS'] ?? 50);
const WARM_UP = 8;

let services: Services | undefined;
const config = readConfig({ PORT: '0', DEMO: 'false', RATE_LIMIT: '0', LOG_LEVEL: 'silent' });
const gateway = await startGateway(config, {
  database: { kind: 'memory', pglite: await PGlite.create() },
  log: createLog('silent'),
  onServices: (made) => (services = made),
});
if (!services) throw new Error('the gateway made no services');
const records = [
  { record: 'domain', name: 'acme' },
  { record: 'user', domain: 'acme', login: 'ana' },
  ...Array.from({ length: 50 }, (_, i) => ({
    feed_key: i + 1,
    domain: 'acme',
    kind: 'TASK',
    feed_title: `Feed ${i}`,
    owner: 'ana',
  })),
];
await importRecords(services, asLines(records), { name: 'bench' });
const { token } = await createSession(services, 'ana');

/** Milliseconds to the last byte of the answer; throws unless it is a refusal with a code. */
async function time(body: string, name: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-service-csrf-token-x': token },
  });
  const text = await response.text();
  const taken = performance.now() - started;
  const code: unknown = JSON.parse(text).errors?.[0]?.extensions?.code;
  if (response.status >= 500 || typeof code !== 'string')
    throw new Error(`${name}: ${response.status} ${text.slice(0, 300)}`);
  return taken;
}

let worst = 0;
console.log(`${'attack'.padEnd(52)} ${'median'.padStart(8)} ${'max ms'.padStart(8)}`);
for (const { name, query, variables } of attacks) {
  const times: number[] = [];
  for (let round = 0; round < WARM_UP + rounds; round++) {
    const taken = await time(
      JSON.stringify({ query: query === '' ? '' : `${query} # ${round}`, variables }),
      name,
    );
    if (round >= WARM_UP) times.push(taken);
  }
  times.sort((a, b) => a - b);
  const max = times.at(-1) ?? 0;
  worst = Math.max(worst, max);
  console.log(
    `${name.padEnd(52)} ${(times[Math.floor(times.length / 2)] ?? 0).toFixed(1).padStart(8)} ${max.toFixed(1).padStart(8)}${max > limit ? '  too slow' : ''}`,
  );
}
console.log(
  `${attacks.length} attacks, ${rounds} rounds each: the slowest answer took ${worst.toFixed(1)} ms (limit ${limit})`,
);
await gateway.close();
if (worst > limit) process.exitCode = 1;
