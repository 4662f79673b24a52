import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { call } from './call.ts';
import { pause, query, until, type Fault } from './fault.ts';
import { freePort } from '../../test/support/free-port.ts';
import { serverUser } from '../support/own-postgres.ts';
import { crossCheck, makeDataset, makeWorld } from './world.ts';
import { Writers } from './writers.ts';

const PROGRAM = '/usr/sbin/pgbouncer';
const root = fileURLToPath(new URL('../..', import.meta.url));

/** Everything through PgBouncer in transaction mode, four server connections for twenty of two gateways; changes still reach a stream at once. */
export const passPooler: Fault = {
  name: 'pooler',
  async run(rig) {
    if (!existsSync(PROGRAM))
      return {
        rounds: 0,
        acknowledged: 0,
        lost: 0,
        broken: [],
        notes: 'not run: needs pgbouncer (Debian package)',
      };
    const postgres = await rig.postgres();
    const [folder, port, as] = [rig.folder(), await freePort(), serverUser()];
    if (as) chownSync(folder, as.uid, as.gid);
    writeFileSync(join(folder, 'users'), '"postgres" ""\n');
    writeFileSync(
      join(folder, 'ini'),
      `[databases]\npostgres = host=127.0.0.1 port=${postgres.port}\n[pgbouncer]\nlisten_addr=127.0.0.1\nlisten_port=${port}\nunix_socket_dir=\nauth_type=trust\nauth_file=${join(folder, 'users')}\npool_mode=transaction\ndefault_pool_size=4\n`,
    );
    const pooler = spawn(PROGRAM, [join(folder, 'ini')], { ...as, stdio: 'ignore' });
    rig.atEnd(() => void pooler.kill('SIGKILL'));
    const url = postgres.url.replace(String(postgres.port), String(port));
    await until(async () => (await query(url, 'SELECT 1').catch(() => [])).length > 0, 5_000);
    const env = { DATABASE_URL: url, DATABASE_DIRECT_URL: postgres.url, DATA_DIR: rig.folder() };
    const broken: string[] = [];
    const refused = spawnSync(process.execPath, ['--import', 'tsx', 'src/cli.ts', 'migrate'], {
      cwd: root,
      env: { ...process.env, ...env },
      encoding: 'utf8',
      timeout: 60_000,
    });
    const advice = [...refused.stderr.matchAll(/ALTER ROLE .*;/g)].map(([line]) => line);
    if (refused.status === 0 || advice.length !== 3)
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
      .filter(({ status }) => status !== 200 && status !== 201);
    if (failed.length > 0)
      broken.push(
        `${failed.length} writes failed, e.g. ${failed[0]?.kind} ${failed[0]?.status} ${JSON.stringify(failed[0]?.json).slice(0, 100)}`,
      );
    const check = await crossCheck(env);
    const version = execFileSync(PROGRAM, ['--version'], { encoding: 'utf8' }).split('\n')[0];
    return {
      rounds,
      acknowledged: all.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
      lost: lost.length + check.faults,
      broken: [...lost.slice(0, 5), ...new Set(broken)].slice(0, 10),
      notes: `${version}; ${reads} reads; a change reached the stream in ${woken} ms (median)`,
    };
  },
};

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
