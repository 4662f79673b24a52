/**
 * A page of 20 feeds through a gateway behind PgBouncer against one that is connected to PostgreSQL itself, in turns, on a PostgreSQL of its own; and the CPU time of the pooler.
 * usage: npm run build && PGBOUNCER=/path/to/pgbouncer node --import tsx bench/pooler.ts     ROUNDS=20 SECONDS=1
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from './contenders.ts';
import { query } from './faults/fault.ts';
import { makeWorld } from './faults/world.ts';
import { encodeRequest, fetchJson, runLoad, type WireRequest } from './http-load.ts';
import { CONNECTIONS, median } from './run-rounds.ts';
import type { ServerProcess } from './server-process.ts';
import { poolerProgram, startPooler } from './support/own-pooler.ts';
import { startPostgres } from './support/own-postgres.ts';
import { PLAN_SETTINGS } from '../src/core/sql/session-settings.ts';

const [ROUNDS, SECONDS] = [
  Number(process.env['ROUNDS'] ?? 20),
  Number(process.env['SECONDS'] ?? 1),
];
const GOAL = 0.9;
const TICK_MS = 10;
/** What a role must have that is used through a pooler. */
const ROLE = [
  'timezone = UTC',
  'statement_timeout = 15000',
  'idle_in_transaction_session_timeout = 60000',
  'jit = off',
  'parallel_setup_cost = 10000',
  ...PLAN_SETTINGS.map((setting) => setting.replace('=', ' = ')),
];

const program = poolerProgram();
if (!program) {
  console.log('not run: needs pgbouncer (Debian package), or PGBOUNCER=/path/to/it');
  process.exit(0);
}
const folder = mkdtempSync(join(tmpdir(), 'trivium-bench-'));
const postgres = await startPostgres();
for (const setting of ROLE) await query(postgres.url, `ALTER ROLE postgres SET ${setting}`);
const pooler = await startPooler(program, postgres, 10);
const gateways: ServerProcess[] = [];
try {
  const direct = { DATABASE_URL: postgres.url, DATA_DIR: join(folder, 'direct') };
  const { tokens } = await makeWorld(direct);
  const ways = [direct, { ...direct, DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: postgres.url }];
  for (const env of ways) gateways.push(await startGateway(env));
  const requests = tokens.flatMap(asked);
  for (const { port } of gateways) for (const request of requests) await fetchJson(port, request);
  const bytes = requests.map(encodeRequest);
  const [straight, behind] = gateways;
  if (!straight || !behind) throw new Error('no gateways');
  const rate = async ({ port }: ServerProcess): Promise<number> => {
    const load = await runLoad(port, bytes, CONNECTIONS, SECONDS);
    return load.requests / load.seconds;
  };
  for (const gateway of gateways) await rate(gateway);
  const rounds: { direct: number; pooled: number; cpu: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // Each goes first in every other round.
    const first = round % 2 === 0 ? await rate(straight) : 0;
    const before = cpuMs(pooler.child);
    const pooled = await rate(behind);
    const cpu = (cpuMs(pooler.child) - before) / (pooled * SECONDS);
    rounds.push({ direct: first || (await rate(straight)), pooled, cpu });
  }
  const of = (pick: (round: (typeof rounds)[number]) => number): number => median(rounds.map(pick));
  const ratio = of((round) => round.pooled / round.direct);
  console.log(
    `${program.version}${program.follows ? ', which follows clients' : ''}: ${of(({ direct }) => direct).toFixed(0)} pages/s direct, ${of(({ pooled }) => pooled).toFixed(0)} behind it, ratio ${ratio.toFixed(3)}; CPU of the pooler ${of(({ cpu }) => cpu).toFixed(3)} ms a page`,
  );
  if (program.follows && ratio < GOAL) process.exitCode = 1;
} finally {
  for (const gateway of gateways) await gateway.stop();
  pooler.stop();
  postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** A page over each face. */
function asked(token: string): WireRequest[] {
  const headers = { 'x-service-csrf-token-x': token };
  const query =
    '{ viewer { feeds(first: 20) { nodes { id feedTitle priority endDateTime status pin } pageInfo { hasNextPage endCursor } } } }';
  return [
    { method: 'GET', path: '/task/v1/feeds/list?limit=20', headers },
    {
      method: 'POST',
      path: '/graphql',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    },
  ];
}

/** User and system time of a process so far (Linux). */
function cpuMs({ pid = 0 }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
