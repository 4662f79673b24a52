import pg from 'pg';
import { call, graphql } from './call.ts';
import { until, type Fault } from './fault.ts';
import { makeWorld } from './world.ts';

/** Every connection of the pool waits for a lock: further requests are told so, and the process stays alive. */
export const exhaustPool: Fault = {
  name: 'pool exhausted',
  async run(rig) {
    const { url: DATABASE_URL } = await rig.postgres();
    const env = {
      DATABASE_URL,
      DATABASE_POOL: '2',
      REQUEST_TIMEOUT_MS: '5000',
      DATA_DIR: rig.folder(),
    };
    const world = await makeWorld(env);
    const gateway = await rig.gateway(env);
    const [token = ''] = world.tokens;
    const holder = new pg.Client({ connectionString: DATABASE_URL });
    await holder.connect();
    const broken: string[] = [];
    const rounds = rig.rounds(5);
    let [refused, slowest, slowestHealth, acknowledged, lost] = [0, 0, 0, 0, 0];
    const pin = (key: number): ReturnType<typeof call> =>
      graphql(
        gateway.url,
        token,
        'mutation ($id: ID!) { setFeedState(input: { feedIds: [$id], pinned: true }) { ... on SetFeedStatePayload { results { feed { pin } } } } }',
        { id: Buffer.from(`Feed:${key}`).toString('base64') },
      );
    for (let n = 0; n < rounds; n++) {
      await holder.query('BEGIN; LOCK TABLE feed_user_state IN ACCESS EXCLUSIVE MODE');
      const blocked = Array.from({ length: 10 }, (_, i) => pin(n * 10 + i + 1));
      const reads = Array.from({ length: 30 }, () =>
        call(gateway.url, '/task/v1/feeds/list', token),
      );
      let waiting = true;
      const health = (async () => {
        while (waiting) {
          const { status, ms } = await call(gateway.url, '/healthz', '');
          if (status !== 200) broken.push(`/healthz answered ${status}`);
          slowestHealth = Math.max(slowestHealth, ms);
        }
      })();
      for (const answer of await Promise.all([...blocked, ...reads])) {
        slowest = Math.max(slowest, answer.ms);
        if (answer.status === 503 && answer.retryAfter !== null) refused++;
        else
          broken.push(
            `answered ${answer.status} after ${Math.round(answer.ms)} ms, Retry-After ${answer.retryAfter}`,
          );
      }
      waiting = false;
      await health;
      await holder.query('ROLLBACK');
      if (
        (await until(
          async () => (await call(gateway.url, '/readyz', '')).status === 200,
          10_000,
        )) === undefined
      )
        broken.push('not ready again within 10 s');
      const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => pin(n * 10 + i + 1)));
      acknowledged += answers.filter(({ status }) => status === 200).length;
      if (answers.some(({ status }) => status !== 200))
        broken.push('writes are refused after the lock has gone');
    }
    const { rows } = await holder.query(
      'SELECT count(*)::int AS pins FROM feed_user_state WHERE pinned',
    );
    await holder.end();
    lost = acknowledged - Number(rows[0].pins);
    if (slowest > 7_000) broken.push(`an answer took ${Math.round(slowest)} ms`);
    return {
      rounds,
      acknowledged,
      lost,
      broken: [...new Set(broken)].slice(0, 10),
      notes: `${refused} answers of 503, slowest ${Math.round(slowest)} ms; /healthz at most ${Math.round(slowestHealth)} ms`,
    };
  },
};
