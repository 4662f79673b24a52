import { call, graphql, post } from './call.ts';
import { kill, query, type Fault } from './fault.ts';
import { FEEDS, makeWorld } from './world.ts';

const GATEWAYS = 3;

/** Several stateless gateways on one database: what one wrote the others show at once, one idempotency key makes one task whoever is asked, a session ends everywhere, and one may die. */
export const replicas: Fault = {
  name: 'replicas',
  async run(rig) {
    const { url: DATABASE_URL } = await rig.postgres();
    const world = await makeWorld({ DATABASE_URL, DATA_DIR: rig.folder() });
    const gateways = await Promise.all(
      Array.from({ length: GATEWAYS }, () => rig.gateway({ DATABASE_URL, DATA_DIR: rig.folder() })),
    );
    const urls = gateways.map(({ url }) => url);
    const [token = '', other = ''] = world.tokens;
    const broken: string[] = [];
    let [acknowledged, lost] = [0, 0];
    const rounds = rig.rounds(200);
    for (let n = 0; n < rounds; n++) {
      if (n === Math.floor(rounds / 2)) {
        await kill(gateways[0]!);
        urls.shift();
      }
      const [at, elsewhere] = [urls[n % urls.length]!, urls[(n + 1) % urls.length]!];
      const id = Buffer.from(`Feed:${(n % FEEDS) + 1}`).toString('base64');
      const written = await graphql(
        at,
        token,
        'mutation ($id: ID!, $to: Boolean!) { setFeedState(input: { feedIds: [$id], pinned: $to }) { ... on SetFeedStatePayload { results { feed { pin } } } } }',
        { id, to: true },
      );
      if (written.status !== 200) broken.push(`a write answered ${written.status}`);
      else acknowledged++;
      const read = await graphql(
        elsewhere,
        token,
        'query ($id: ID!) { node(id: $id) { ... on Feed { pin } } }',
        { id },
      );
      if (read.json?.data?.node?.pin !== true) lost++;
      const name = `once ${n}`;
      const answers = await Promise.all(
        urls.map((url) =>
          post(
            url,
            '/api/task-tracker-external/tasks',
            '',
            { name, assignedTo: 'user1' },
            { ...world.customer, 'Idempotency-Key': name },
          ),
        ),
      );
      if (answers.some(({ status }) => status !== 201 && status !== 409))
        broken.push(`tasks answered ${answers.map(({ status }) => status).join(', ')}`);
    }
    const twice = await query(
      DATABASE_URL,
      'SELECT name FROM external_task GROUP BY name HAVING count(*) <> 1',
    );
    if (twice.length > 0) broken.push(`${twice.length} tasks are there more than once`);
    await call(urls[0]!, '/session', other, { method: 'DELETE' });
    for (const url of urls)
      if ((await call(url, '/task/v1/feeds/list', other)).status !== 401)
        broken.push('a session outlived its end');
    return {
      rounds,
      acknowledged,
      lost,
      broken: [...new Set(broken)].slice(0, 10),
      notes: `${GATEWAYS} gateways, one killed half-way; each write read on another`,
    };
  },
};
