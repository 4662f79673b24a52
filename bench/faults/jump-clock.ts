import { readConfig } from '../../src/core/context/config.ts';
import { createLog } from '../../src/core/log.ts';
import { createSession } from '../../src/accounts/sessions/create-session.ts';
import type { Services } from '../../src/core/context/context.ts';
import { startGateway } from '../../src/server/start.ts';
import { call, graphql, post } from './call.ts';
import { type Fault } from './fault.ts';
import { FEEDS, makeWorld } from './world.ts';

const HOUR = 3_600_000;
const JUMPS = [
  HOUR,
  -2 * HOUR,
  5 * 60_000,
  -10 * 60_000,
  25 * HOUR,
  -26 * HOUR,
  40 * 24 * HOUR,
  -39 * 24 * HOUR,
  -2 * 24 * HOUR,
  HOUR,
];

/** The gateway's clock jumps forth and back between writes and polls: no change is lost behind a cursor, an idempotency key makes nothing twice, nothing answers 5xx. */
export const jumpClock: Fault = {
  name: 'clock jumping',
  async run(rig) {
    const { url: DATABASE_URL } = await rig.postgres();
    const env = { DATABASE_URL, DATA_DIR: rig.folder(), PORT: '0', DEMO: 'false', RATE_LIMIT: '0' };
    const { customer } = await makeWorld(env);
    let skew = 0;
    let made: Services | undefined;
    const gateway = await startGateway(readConfig(env), {
      clock: () => Date.now() + skew,
      log: createLog('silent'),
      onServices: (services) => (made = services),
    });
    const broken: string[] = [];
    let [acknowledged, lost] = [0, 0];
    const expect = (what: string, status: number, ...fits: number[]): void =>
      void (fits.includes(status) || broken.push(`${what} answered ${status}`));
    try {
      if (!made) throw new Error('the gateway made no services');
      let token = (await createSession(made, 'user0')).token;
      const first = await graphql(
        gateway.url,
        token,
        '{ viewer { feeds(first: 1) { changeCursor } } }',
      );
      let cursor: string = first.json.data.viewer.feeds.changeCursor;
      let [key, turn] = [0, 0];
      for (const jump of rig.quick ? JUMPS.slice(0, 4) : JUMPS) {
        skew += jump;
        if ((await call(gateway.url, '/task/v1/feeds/list', token)).status === 401)
          token = (await createSession(made, 'user0')).token;
        const written: number[] = [];
        for (let n = 0; n < 5; n++) {
          key = (key % FEEDS) + 1;
          const id = Buffer.from(`Feed:${key}`).toString('base64');
          const answer = await graphql(
            gateway.url,
            token,
            'mutation ($id: ID!) { setFeedState(input: { feedIds: [$id], favorite: true }) { ... on SetFeedStatePayload { results { feed { feedKey } } } } }',
            { id },
          );
          expect('a write', answer.status, 200);
          if (answer.status === 200) written.push(key);
        }
        acknowledged += written.length;
        const polled = await graphql(
          gateway.url,
          token,
          'query ($after: ChangeCursor!) { viewer { feedChanges(after: $after) { edges { node { ... on FeedUpserted { feed { feedKey } } ... on ResyncRequired { reason } } } endCursor } } }',
          { after: cursor },
        );
        expect('a poll by cursor', polled.status, 200);
        const changes = polled.json?.data?.viewer?.feedChanges;
        const seen = new Set((changes?.edges ?? []).map(({ node }: any) => node.feed?.feedKey));
        lost += written.filter((one) => !seen.has(one)).length;
        cursor = changes?.endCursor ?? cursor;
        expect(
          'a poll by time',
          (
            await call(
              gateway.url,
              `/task/v1/feeds/list-latest?from_time=${Date.now() - 60_000}`,
              token,
            )
          ).status,
          200,
          400,
        );
        const name = `jump ${turn++}`;
        const send = (): ReturnType<typeof post> =>
          post(
            gateway.url,
            '/api/task-tracker-external/tasks',
            '',
            { name, assignedTo: 'user0' },
            { ...customer, 'Idempotency-Key': name },
          );
        const [one, two] = [await send(), await send()];
        expect('a task', one.status, 201);
        if (one.json?.id !== two.json?.id) broken.push('an idempotency key made a second task');
        expect('/readyz', (await call(gateway.url, '/readyz', '')).status, 200);
      }
      return {
        rounds: turn,
        acknowledged,
        lost,
        broken: [...new Set(broken)].slice(0, 10),
        notes: 'jumps of 5 min to 40 days, both ways',
      };
    } finally {
      await gateway.close();
    }
  },
};
