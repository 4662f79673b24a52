import { call } from './call.ts';
import { pause, until, type Fault } from './fault.ts';
import { crossCheck, makeDataset, makeWorld } from './world.ts';
import { Writers } from './writers.ts';

const DOWN_MS = 6_000;

/** The database stops and starts again under load: 503 with Retry-After within 5 s, not ready, and back within 10 s. */
export const stopDatabase: Fault = {
  name: 'database stopped',
  async run(rig) {
    const postgres = await rig.postgres();
    const env = { DATABASE_URL: postgres.url, DATA_DIR: rig.folder() };
    const world = await makeWorld(env);
    const gateway = await rig.gateway(env);
    const [token = ''] = world.tokens;
    const writers = new Writers(world, await makeDataset(gateway.url, token), () => gateway.url);
    const broken: string[] = [];
    let [slowest, slowestBack, refused] = [0, 0, 0];
    writers.start();
    const rounds = rig.rounds(5);
    for (let n = 0; n < rounds; n++) {
      await pause(1_500);
      await postgres.halt();
      const down = performance.now();
      const notReady = await until(
        async () => (await call(gateway.url, '/readyz', '')).status === 503,
        5_000,
      );
      if (notReady === undefined) broken.push('readiness stayed true');
      while (performance.now() - down < DOWN_MS) {
        const [read, alive] = [
          await call(gateway.url, '/task/v1/feeds/list', token),
          await call(gateway.url, '/healthz', ''),
        ];
        if (read.status !== 503 || read.retryAfter === null || read.ms > 5_000)
          broken.push(
            `a read answered ${read.status} after ${Math.round(read.ms)} ms, Retry-After ${read.retryAfter}`,
          );
        if (alive.status !== 200) broken.push(`/healthz answered ${alive.status}`);
        slowest = Math.max(slowest, read.ms);
        refused++;
        await pause(100);
      }
      const up = performance.now();
      // Paths of the dataset document know no 503 (D-60): 500 with Retry-After.
      for (const { kind, status, retryAfter, ms, at } of writers.answers) {
        if (at < down + 500 || at > up || status === 200 || status === 201) continue;
        const fits =
          (status === 503 || (status === 500 && (kind === 'upload' || kind === 'dataset'))) &&
          retryAfter !== null &&
          ms < 5_000;
        if (!fits)
          broken.push(
            `${kind} answered ${status} after ${Math.round(ms)} ms, Retry-After ${retryAfter}`,
          );
      }
      await postgres.start();
      const started = performance.now();
      const back = await until(
        async () =>
          (await call(gateway.url, '/readyz', '')).status === 200 &&
          (await call(gateway.url, '/task/v1/feeds/list', token)).status === 200,
        10_000,
      );
      if (back === undefined) broken.push('not back within 10 s');
      const written = await until(
        () =>
          writers.answers.some(
            ({ at, status, kind }) => at > started && status === 201 && kind === 'task',
          ),
        10_000,
      );
      if (written === undefined) broken.push('no write within 10 s');
      slowestBack = Math.max(slowestBack, back ?? 10_000, written ?? 10_000);
    }
    await writers.stop();
    const lost = await writers.lost(postgres.url);
    const check = await crossCheck(env);
    if (writers.answers.some(({ status }) => status === -1)) broken.push('requests hung');
    return {
      rounds,
      acknowledged: writers.acknowledged,
      lost: lost.length + check.faults,
      broken: [...lost.slice(0, 5), ...new Set(broken)].slice(0, 10),
      notes: `${refused} reads refused, slowest ${Math.round(slowest)} ms; back in ${slowestBack} ms at most`,
    };
  },
};
