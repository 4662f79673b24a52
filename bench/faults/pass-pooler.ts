import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { call } from './call.ts';
import { pause, query, until, type Fault } from './fault.ts';
import { poolerProgram, startPooler } from '../support/own-pooler.ts';
import { crossCheck, makeDataset, makeWorld } from './world.ts';
import { Writers } from './writers.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Everything through PgBouncer in transaction mode, four server connections for twenty of two gateways; changes still reach a stream at once. */
export const passPooler: Fault = {
  name: 'pooler',
  async run(rig) {
    const program = poolerProgram();
    if (!program)
      return {
        rounds: 0,
        acknowledged: 0,
        lost: 0,
        broken: [],
        notes: 'not run: needs pgbouncer (Debian package)',
      };
    const postgres = await rig.postgres();
    const pooler = await startPooler(program, postgres, 4);
    rig.atEnd(() => pooler.stop());
    const { url } = pooler;
    const env = { DATABASE_URL: url, DATABASE_DIRECT_URL: postgres.url, DATA_DIR: rig.folder() };
    const broken: string[] = [];
    const refused = spawnSync(process.execPath, ['--import', 'tsx', 'src/cli.ts', 'migrate'], {
      cwd: root,
      env: { ...process.env, ...env },
      encoding: 'utf8',
      timeout: 60_000,
    });
    const advice = [...refused.stderr.matchAll(/ALTER ROLE .*;/g)].map(([line]) => line);
    if (refused.status === 0 || advice.length === 0)
      broken.push(
        `a role without settings was not refused: ${refused.status} ${refused.stderr.slice(0, 200)}`,
      );
    await query(postgres.url, advice.join('\n'));
    // The pooler's server connections are of before; new ones have the settings.
    await query(
      postgres.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    );
    const world = await makeWorld(env);
    const gateways = await Promise.all([1, 2].map(() => rig.gateway(env)));
    const [token = ''] = world.tokens;
    const all: Writers[] = [];
    for (const { url: at } of gateways) {
      const writers = new Writers(world, await makeDataset(at, token), () => at);
      all.push(writers);
      writers.start();
    }
    let [reads, events] = [0, 0];
    const delays: number[] = [];
    const rounds = rig.rounds(20);
    const stream = execStream(gateways[0]!.url, token, () => {
      events++;
    });
    for (let n = 0; n < rounds; n++) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          call(gateways[i % 2]!.url, `/task/v1/feeds/list?limit=${5 + i}`, token),
        ),
      );
      for (const { status } of answers)
        if (status === 200) reads++;
        else broken.push(`a read answered ${status}`);
      await pause(100);
    }
    for (const writers of all) await writers.stop();
    // With the writers silent: how long does one change take to the stream of the other gateway?
    for (let n = 0; n < 5; n++) {
      await pause(300);
      const before = events;
      await query(postgres.url, 'UPDATE feed SET version = version + 1 WHERE feed_key = 1');
      delays.push((await until(() => events > before, 5_000)) ?? 5_000);
    }
    stream.abort();
    const woken = delays.sort((a, b) => a - b)[2] ?? 0;
    if (woken > 1_000)
      broken.push(`a change took ${woken} ms to the stream: no notification came through`);
    const lost = (await Promise.all(all.map((writers) => writers.lost(postgres.url)))).flat();
    const failed = all
      .flatMap(({ answers }) => answers)
      .filter(({ status }) => status !== 200 && status !== 201)
      // Five exports of a user may be under way.
      .filter(({ kind, status }) => kind !== 'job' || status !== 429);
    if (failed.length > 0)
      broken.push(
        `${failed.length} writes failed, e.g. ${failed[0]?.kind} ${failed[0]?.status} ${JSON.stringify(failed[0]?.json).slice(0, 100)}`,
      );
    const check = await crossCheck(env);
    broken.push(...(await followed(gateways[0]!, { url, direct: postgres.url, token }, program)));
    return {
      rounds,
      acknowledged: all.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
      lost: lost.length + check.faults,
      broken: [...lost.slice(0, 5), ...new Set(broken)].slice(0, 10),
      notes: `${program.version}${program.follows ? ', which follows clients' : ''}; ${reads} reads; a change reached the stream in ${woken} ms (median)`,
    };
  },
};

/** What is not as it should be with prepared statements, and with the statement of a client that goes away: a pooler that follows its clients keeps the ones and passes on the other's end. */
async function followed(
  gateway: { url: string },
  { url, direct, token }: { url: string; direct: string; token: string },
  { follows }: { follows: boolean },
): Promise<string[]> {
  const broken: string[] = [];
  const [found] = await query(
    url,
    `SELECT count(*)::int AS count FROM pg_prepared_statements WHERE name LIKE 'PGBOUNCER%' OR name LIKE 't%'`,
  );
  if (found.count > 0 !== follows)
    broken.push(`a session behind the pooler has ${found.count} prepared statements`);
  const locker = new pg.Client({ connectionString: direct });
  await locker.connect();
  await locker.query('BEGIN; LOCK TABLE feed_listing IN ACCESS EXCLUSIVE MODE');
  const waiting = async (): Promise<number> =>
    (
      await query(
        direct,
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%feed_listing%'`,
      )
    )[0].count;
  const gone = new AbortController();
  const asked = call(gateway.url, '/task/v1/feeds/list', token, { signal: gone.signal });
  if ((await until(async () => (await waiting()) === 1, 5_000)) === undefined)
    broken.push('no statement waits for the lock');
  gone.abort();
  const cancelled = await until(async () => (await waiting()) === 0, follows ? 2_000 : 500);
  if ((cancelled !== undefined) !== follows)
    broken.push(`the statement of a client that went away: cancelled after ${cancelled} ms`);
  await locker.query('ROLLBACK');
  await locker.end();
  await asked;
  return broken;
}

/** Follows feedChanged over server-sent events. */
function execStream(url: string, token: string, onEvent: () => void): AbortController {
  const controller = new AbortController();
  void (async () => {
    const reply = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'x-service-csrf-token-x': token,
      },
      body: JSON.stringify({
        query: 'subscription { feedChanged { ... on FeedUpserted { cursor } } }',
      }),
      signal: controller.signal,
    });
    for await (const chunk of reply.body!)
      if (Buffer.from(chunk).includes('event: next')) onEvent();
  })().catch(() => undefined);
  return controller;
}
