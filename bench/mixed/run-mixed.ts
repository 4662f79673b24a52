import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import pg from 'pg';
import { createServices } from '../../src/server/services.ts';
import { readConfig } from '../../src/core/context/config.ts';
import { chooseContenders, type Contender } from '../contenders.ts';
import { Refusal } from '../data/load.ts';
import { runLoad, runPaced } from '../http-load.ts';
import { table } from '../report.ts';
import { CONNECTIONS, median } from '../run-rounds.ts';
import type { ServerProcess } from '../server-process.ts';
import { makeViewers } from '../workload.ts';
import { mercurius, postgraphile, trivium, type Asked } from './asked.ts';
import { compareMixes, kindOf, prepareMix, SHARES, tryMix, type Plan } from './mix.ts';
import { openSubscribers, type Subscribers } from './subscribers.ts';

const SUBSCRIBERS = 500;
const ROUNDS = 3;
const SECONDS = { warm: 8, round: 4, settle: 12, paced: 15 };
/** Of the highest rate. */
const SHARE = 0.7;
/** Polls of a gateway that has just started reach back so far, in seconds: up to a minute more than they ask for. */
const POLLS_REACH = 100;
/** With them the polls and counts of the peers are fast. */
const PEER_INDEXES = [
  'CREATE INDEX ON feed (unit_id, last_updated_at)',
  'CREATE INDEX ON feed_listing (list, subject_id, priority_sort) INCLUDE (confidential_dept)',
];
const asks: Partial<Record<Contender['name'], Asked>> = {
  graphql: trivium,
  mercuriustuned: mercurius,
  postgraphile,
};

interface Slot {
  contender: Contender;
  server: ServerProcess;
  requests: (since: number) => Buffer[];
  rates: number[];
}

/** The mix of a store, on a copy of the database that is dropped at the end. Prints a table and returns its figures. */
export async function runMixed(url: string, say: (text: string) => void): Promise<object> {
  await untilPollsMissImport(url, say);
  const copy = await copyDatabase(url, say);
  const slots: Slot[] = [];
  try {
    const plan = await makePlan(copy.url);
    let first: Awaited<ReturnType<typeof prepareMix>> | undefined;
    for (const contender of chooseContenders(
      ['graphql', 'mercuriustuned', 'postgraphile'],
      undefined,
    )) {
      const asked = asks[contender.name];
      if (!asked) continue;
      const server = await contender.start(copy.url);
      const slot: Slot = { contender, server, requests: () => [], rates: [] };
      slots.push(slot);
      const mix = await prepareMix({ contender, asked }, server.port, plan);
      slot.requests = mix.requests;
      if (first) compareMixes(plan.viewers, first, { ...mix, label: contender.label });
      first ??= mix;
    }
    for (const { contender, server } of slots) {
      const asked = asks[contender.name];
      if (asked) await tryMix({ contender, asked }, server.port, plan);
    }
    return await measure(slots, plan, copy.url, say);
  } finally {
    await Promise.all(slots.map(({ server }) => server.stop()));
    await copy.drop();
  }
}

async function measure(
  slots: readonly Slot[],
  plan: Plan,
  url: string,
  say: (text: string) => void,
): Promise<object> {
  const own = slots.find(({ contender }) => contender.name === 'graphql');
  if (!own) throw new Error('nobody to subscribe at');
  const load = async ({ server, requests }: Slot, seconds: number): Promise<number> => {
    await resetFeeds(url, plan);
    const done = await runLoad(server.port, requests(recently()), CONNECTIONS, seconds);
    return done.requests / done.seconds;
  };
  for (const slot of slots) await load(slot, SECONDS.warm);
  for (let round = 0; round < ROUNDS; round++)
    for (const slot of [...slots.slice(round), ...slots.slice(0, round)])
      slot.rates.push(await load(slot, SECONDS.round));
  const { port } = own.server;
  const subscribers = await openSubscribers(port, plan.viewers, plan.feeds, SUBSCRIBERS, url);
  try {
    const alsoMeasured = subscribers.measure(SECONDS.round);
    const rate = await load(own, SECONDS.round);
    await alsoMeasured;
    return await measurePaced(slots, plan, url, { own, subscribers, rate }, say);
  } finally {
    await subscribers.close();
  }
}

/** Gives each its paced load; Trivium, which has the subscribers, a share of the rate that it reached with them. */
async function measurePaced(
  slots: readonly Slot[],
  plan: Plan,
  url: string,
  { own, subscribers, rate: subscribed }: { own: Slot; subscribers: Subscribers; rate: number },
  say: (text: string) => void,
): Promise<object> {
  const figures: Record<string, object> = {};
  const lines: string[][] = [];
  const kindLines: string[][] = [];
  for (const { contender, server, requests, rates } of slots) {
    const highest = median(rates);
    const heard = contender === own.contender ? subscribed : undefined;
    const rate = (heard ?? highest) * SHARE;
    const pace = async (seconds: number) => {
      await resetFeeds(url, plan);
      await writeOut(url);
      const options = { rate, connections: 4 * CONNECTIONS, seconds, kindOf };
      const asked = requests(recently());
      collectGarbage();
      const before = server.cpuMs() ?? NaN;
      const measuring = contender === own.contender ? subscribers.measure(seconds) : undefined;
      const load = await runPaced(server.port, asked, options);
      const cpuMs = ((server.cpuMs() ?? NaN) - before) / load.requests;
      return { ...load, cpuMs, told: await measuring };
    };
    // Whoever waited for the others needs some seconds to be as fast as before.
    await pace(SECONDS.settle);
    const { cpuMs, told, ...paced } = await pace(SECONDS.paced);
    const [p50, p99] = [at(paced.latencies, 0.5), at(paced.latencies, 0.99)];
    const kinds = SHARES.map(([kind]) => {
      const latencies = paced.kinds.get(kind) ?? [];
      return { kind, p50: at(latencies, 0.5), p99: at(latencies, 0.99) };
    });
    kindLines.push([
      contender.label,
      ...kinds.map((of) => `${of.p50.toFixed(1)}/${of.p99.toFixed(1)} ms`),
    ]);
    const delays = told && subscribers.delays;
    const memory = server.memory();
    figures[contender.name] = {
      ratio: median(own.rates) / highest,
      rates,
      subscribed: heard,
      rate,
      p50,
      p99,
      kinds,
      cpuMs,
      memory,
      ...(delays && {
        delays: {
          expected: told.expected,
          received: delays.length,
          p50: at(delays, 0.5),
          p99: at(delays, 0.99),
        },
      }),
    };
    lines.push([
      contender.label,
      `${Math.round(highest)}/s${heard === undefined ? '' : ` (${Math.round(heard)}/s with the subscribers)`}`,
      (median(own.rates) / highest).toFixed(2),
      `${p50.toFixed(1)}/${p99.toFixed(1)} ms (${(p99 / p50).toFixed(1)} ×)`,
      `${cpuMs.toFixed(2)} ms`,
      `${memory?.now ?? '–'}/${memory?.peak ?? '–'} MB`,
      delays
        ? `${at(delays, 0.5).toFixed(1)}/${at(delays, 0.99).toFixed(1)} ms (${delays.length} of ${told.expected})`
        : 'none: it follows no database',
    ]);
  }
  say(
    table(
      [
        'mixed load',
        'highest rate',
        'Trivium to it',
        `p50/p99 at ${SHARE * 100} %`,
        'Node CPU per request',
        'memory, and at most',
        `commit → ${SUBSCRIBERS} subscribers, p50/p99`,
      ],
      lines,
    ),
  );
  say(
    table(
      ['p50/p99 of each kind', ...SHARES.map(([kind, share]) => `${kind} (${share} %)`)],
      kindLines,
    ),
  );
  return figures;
}

/** Otherwise each poll would examine what the import has changed, which the peers do not do: 25 ms of PostgreSQL's time. */
async function untilPollsMissImport(url: string, say: (text: string) => void): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ seconds: number | null }>(
      'SELECT extract(epoch FROM clock_timestamp() - max(changed_at))::float8 AS seconds FROM change_log',
    );
    const left = Math.ceil(POLLS_REACH - (rows[0]?.seconds ?? POLLS_REACH));
    if (left <= 0) return;
    say(`Waits ${left} s, until polls no longer reach back to the import.`);
    await setTimeout(left * 1000);
  } finally {
    await client.end();
  }
}

/** Brings the feeds that are written into the state that the first request finds: without mark, and completed. */
async function resetFeeds(url: string, { feeds }: Plan): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      'UPDATE feed_user_state SET pinned = false WHERE pinned AND feed_key = ANY ($1)',
      [feeds.map(({ mark }) => mark)],
    );
    await client.query(`UPDATE feed SET status = 'C' WHERE status <> 'C' AND feed_key = ANY ($1)`, [
      feeds.map(({ status }) => status),
    ]);
  } finally {
    await client.end();
  }
}

/** Writes to the disk what those before have changed, which would else be done in the time of the one that is measured; if the role may. */
async function writeOut(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('CHECKPOINT').catch(() => undefined);
  await client.end();
}

/** Collects the garbage of the load generator, which else takes both processors in the time that is measured. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** When a client that polls every half minute asked last. */
const recently = (): number => Date.now() - 30_000;

function at(ascending: readonly number[], share: number): number {
  return ascending[Math.floor(ascending.length * share)] ?? NaN;
}

/** Who asks, and for what: those who may reopen feeds and create tasks, and feeds of each. */
async function makePlan(url: string): Promise<Plan> {
  const services = await createServices(readConfig({ DATABASE_URL: url, LOG_LEVEL: 'silent' }));
  try {
    const { pool } = services.db;
    for (const permission of ['REOPEN_FEED', 'SUPERVISOR'])
      await pool.query(
        `INSERT INTO permission_grant (subject_type, subject_id, permission) SELECT 'USER', id, $1 FROM "user" ON CONFLICT DO NOTHING`,
        [permission],
      );
    for (const index of PEER_INDEXES) await pool.query(index);
    // Otherwise the gateway starts the log anew, as in any copy, and who polls since before that has to load the list again.
    await pool.query('UPDATE change_log_state SET origin = NULL');
    await pool.query('DELETE FROM session');
    const viewers = await makeViewers(services);
    const { rows } = await pool.query<{ unit_id: number; mark: string; status: string }>(
      `SELECT unit_id, min(feed_key) FILTER (WHERE status = 'N') AS mark, min(feed_key) FILTER (WHERE status = 'C') AS status
       FROM feed WHERE deleted_at IS NULL AND NOT is_confidential AND parent_feed_key IS NULL GROUP BY unit_id`,
    );
    const feeds = viewers.map(({ unitId }) => {
      const row = rows.find(({ unit_id }) => unit_id === unitId);
      return { mark: Number(row?.mark), status: Number(row?.status) };
    });
    return { viewers, feeds, now: services.clock() };
  } finally {
    await services.db.close();
  }
}

/** Writers must not change what the other measurements read. */
async function copyDatabase(
  url: string,
  say: (text: string) => void,
): Promise<{ url: string; drop(): Promise<void> }> {
  const own = new URL(url);
  const from = decodeURIComponent(own.pathname.slice(1));
  const name = `${from}_mixed`;
  own.pathname = `/${encodeURIComponent(name)}`;
  const maintenance = new URL(url);
  maintenance.pathname = '/postgres';
  const client = new pg.Client({ connectionString: maintenance.href });
  await client.connect();
  const quoted = client.escapeIdentifier(name);
  const drop = (): Promise<unknown> =>
    client.query(`DROP DATABASE IF EXISTS ${quoted} WITH (FORCE)`);
  try {
    await drop();
    const started = performance.now();
    await client.query(
      `CREATE DATABASE ${quoted} TEMPLATE ${client.escapeIdentifier(from)} STRATEGY file_copy`,
    );
    say(`Copied the database in ${Math.round((performance.now() - started) / 1000)} s.`);
  } catch (error) {
    await client.end();
    throw new Refusal(`The mixed load needs a copy of the database: ${String(error)}`);
  }
  return {
    url: own.href,
    drop: async () => {
      await drop();
      await client.end();
    },
  };
}
