import { call, type Answer } from './call.ts';
import { Follower } from './follower.ts';
import { pause, query, until, type Fault } from './fault.ts';
import { missingForCluster, startCluster } from '../support/own-cluster.ts';
import { crossCheck, makeDataset, makeWorld } from './world.ts';
import { Writers } from './writers.ts';

const WRITES_BACK_MS = 30_000;
const READS_BACK_MS = 5_000;
const READERS = 8;

/** The set-up of deploy/patroni loses its primary as by a power failure, again and again, under writers, readers and followers of two gateways. */
export const failOver: Fault = {
  name: 'primary killed',
  async run(rig) {
    const missing = missingForCluster();
    if (missing.length > 0)
      return {
        rounds: 0,
        acknowledged: 0,
        lost: 0,
        broken: [],
        notes: `not run: needs ${missing.join(', ')} (Debian packages)`,
      };
    const cluster = await startCluster();
    rig.atEnd(() => cluster.stop());
    const env = { ...cluster.env, DATA_DIR: rig.folder() };
    const world = await makeWorld(env);
    const gateways = await Promise.all([1, 2].map(() => rig.gateway(env)));
    const urls = gateways.map(({ url }) => url);
    const [token = '', other = ''] = world.tokens;
    const broken: string[] = [];
    const all: Writers[] = [];
    const follower = new Follower(urls, token);
    await follower.start();
    // Five writers each.
    for (const at of [...urls, ...urls]) {
      const writers = new Writers(world, await makeDataset(at, token), () => at);
      all.push(writers);
      writers.start(150);
    }
    const reads: (Answer & { at: number })[] = [];
    let reading = true;
    const readers = Array.from({ length: READERS }, async (_, n) => {
      while (reading) {
        const at = performance.now();
        reads.push({ ...(await call(urls[n % 2]!, '/task/v1/feeds/list?limit=5', other)), at });
        await pause(100);
      }
    });
    const [writesBack, readsBack]: [number[], number[]] = [[], []];
    const rounds = rig.rounds(5);
    for (let n = 0; n < rounds; n++) {
      let primary: number | undefined;
      await until(async () => (primary = await cluster.settled()) !== undefined, 120_000);
      if (primary === undefined) {
        broken.push(`no replica has caught up: ${cluster.tail()}`);
        break;
      }
      await pause(3_000);
      const killed = performance.now();
      cluster.kill(primary);
      const back = async (kind: string): Promise<number> =>
        (await until(
          () =>
            all.some(({ answers }) =>
              answers.some(
                (answer) =>
                  answer.kind === kind &&
                  answer.at - answer.ms > killed &&
                  (answer.status === 200 || answer.status === 201),
              ),
            ),
          60_000,
        )) ?? Infinity;
      const read = until(
        () => reads.some(({ at, status }) => at > killed && status === 200),
        60_000,
      );
      const kinds = ['state', 'task', 'dataset', 'upload', 'job'];
      const slowest = Math.max(...(await Promise.all(kinds.map(back))));
      writesBack.push(slowest);
      readsBack.push((await read) ?? Infinity);
      if (slowest > WRITES_BACK_MS) broken.push(`writes were back after ${slowest} ms`);
      for (const [index, { child, url }] of gateways.entries())
        if (child.exitCode !== null || (await call(url, '/healthz', '')).status !== 200)
          broken.push(`gateway ${index + 1} is not alive`);
      cluster.start(primary);
    }
    await until(async () => (await cluster.settled()) !== undefined, 120_000);
    await pause(2_000);
    for (const writers of all) await writers.stop();
    reading = false;
    await Promise.all(readers);
    const gaps = longestGaps(reads);
    for (const [index, ms] of readsBack.entries())
      if (ms > READS_BACK_MS) broken.push(`reads were back after ${ms} ms (kill ${index + 1})`);
    const lost = (await Promise.all(all.map((writers) => writers.lost(cluster.primary)))).flat();
    const tasks = all.flatMap(({ answers }) =>
      answers.filter(({ kind, status }) => kind === 'task' && status === 201),
    );
    const ids = tasks.map(({ json }) => JSON.stringify(json.id ?? json.taskId ?? json));
    if (new Set(ids).size !== ids.length)
      broken.push(`${ids.length - new Set(ids).size} ids were given twice`);
    const keys = (await query(cluster.primary, 'SELECT feed_key FROM external_task')).map((row) =>
      Number(row.feed_key),
    );
    await until(
      () => keys.every((key) => follower.polled.has(key) && follower.streamed.has(key)),
      30_000,
    );
    follower.stop();
    for (const [way, seen] of [
      ['a poll', follower.polled],
      ['a stream', follower.streamed],
    ] as const) {
      const missed = keys.filter((key) => !seen.has(key));
      if (missed.length > 0)
        broken.push(`${missed.length} of ${keys.length} tasks were never in ${way}`);
    }
    if (follower.gaps.length > 0) broken.push(`followers were told to reload: ${follower.gaps[0]}`);
    const check = await crossCheck(env);
    return {
      rounds,
      acknowledged: all.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
      lost: lost.length + check.faults,
      broken: [...lost.slice(0, 5), ...new Set(broken)].slice(0, 12),
      notes: `writes back after ${summary(writesBack)}, reads after ${summary(readsBack)}; longest without a read ${gaps} ms; ${reads.length} reads, ${keys.length} tasks followed`,
    };
  },
};

function summary(times: number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const show = (ms = 0): string => `${(ms / 1000).toFixed(1)} s`;
  return `${show(sorted[sorted.length >> 1])} (median), ${show(sorted.at(-1))} (most)`;
}

/** The longest time between the ends of two reads that were answered. */
function longestGaps(reads: readonly (Answer & { at: number })[]): number {
  const ends = reads
    .filter(({ status }) => status === 200)
    .map(({ at, ms }) => at + ms)
    .sort((a, b) => a - b);
  return Math.round(Math.max(0, ...ends.map((end, n) => end - (ends[n - 1] ?? end))));
}
