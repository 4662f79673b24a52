import { call, graphql, post } from './call.ts';
import { pause, query, until, type Fault } from './fault.ts';
import { makeDataset, makeWorld } from './world.ts';

/** A streaming replica that pauses, goes away and comes back: a session always reads its own writes, others' at most 2 s late, and nothing fails. */
export const lagReplica: Fault = {
  name: 'read replica late',
  async run(rig) {
    const primary = await rig.postgres();
    const env = { DATABASE_URL: primary.url, DATA_DIR: rig.folder() };
    const world = await makeWorld(env);
    const replica = rig.own(await primary.replica());
    const gateways = await Promise.all(
      [1, 2].map(() => rig.gateway({ ...env, DATABASE_REPLICA_URL: replica.url })),
    );
    const urls = gateways.map(({ url }) => url);
    const [token = '', other = ''] = world.tokens;
    await makeDataset(urls[0]!, token);
    const workspaces = await call(urls[0]!, '/api/Workspaces', token);
    const workspaceId: string = workspaces.json.data[0].id;
    const broken: string[] = [];
    let [acknowledged, lost, reads] = [0, 0, 0];
    /** Whoever writes on one gateway reads it on the other: by a dataset in a list, and by a pin in a page of feeds. */
    const writeAndRead = async (n: number): Promise<void> => {
      const [at, elsewhere] = [urls[n % 2]!, urls[(n + 1) % 2]!];
      const made = await post(at, '/api/Datasets/create', token, {
        workspaceId,
        name: `Set ${n}`,
        description: 'x',
      });
      const pin = n % 2 === 0;
      const pinned = await graphql(
        at,
        token,
        `mutation { setFeedState(input: { feedIds: ["${Buffer.from('Feed:7').toString('base64')}"], pinned: ${pin} }) { ... on SetFeedStatePayload { results { feed { pin } } } } }`,
      );
      if (made.status !== 200 || pinned.status !== 200)
        return void broken.push(`writes answered ${made.status}, ${pinned.status}`);
      acknowledged += 2;
      const [list, page] = [
        await call(elsewhere, `/api/Datasets?workspaceId=${workspaceId}`, token),
        await call(elsewhere, '/task/v1/feeds/list?pin=1&projections=pin', token),
      ];
      if (list.status !== 200 || page.status !== 200)
        broken.push(`reads answered ${list.status}, ${page.status}`);
      reads += 2;
      if (!(list.json.data as { id: string }[]).some(({ id }) => id === made.json.data)) lost++;
      if (
        ((page.json.feed_details ?? []) as { feed_key: number }[]).some(
          ({ feed_key }) => feed_key === 7,
        ) !== pin
      )
        lost++;
    };
    const rounds = rig.rounds(200);
    const scans = async (): Promise<number> =>
      Number(
        (
          await query(
            replica.url,
            `SELECT coalesce(sum(seq_scan + idx_scan), 0)::int AS n FROM pg_stat_user_tables WHERE relname IN ('feed_listing', 'dataset')`,
          )
        )[0].n,
      );
    const used = async (): Promise<boolean> => {
      const before = await scans();
      for (let n = 0; n < 20; n++)
        for (const url of urls) await call(url, '/task/v1/feeds/list', other);
      await pause(1_500); // Statistics are reported once a second.
      return (await scans()) > before;
    };
    if (!(await used())) broken.push('the replica is not read');
    for (let n = 0; n < rounds; n++) {
      if (n % 20 === 5) await query(replica.url, 'SELECT pg_wal_replay_pause()');
      if (n % 20 === 15) await query(replica.url, 'SELECT pg_wal_replay_resume()');
      await writeAndRead(n);
    }
    // A paused replica is not read for longer than 2 s.
    await query(replica.url, 'SELECT pg_wal_replay_pause()');
    const made = await post(
      urls[0]!,
      '/api/task-tracker-external/tasks',
      '',
      { name: 'seen by the other', assignedTo: 'user1' },
      world.customer,
    );
    const late = await until(
      async () =>
        JSON.stringify(
          (
            await call(
              urls[1]!,
              '/task/v1/feeds/list?feed_type_id=EXTERNAL&projections=feed_title',
              other,
            )
          ).json,
        ).includes('seen by the other'),
      10_000,
    );
    if (made.status !== 201 || late === undefined || late > 3_000)
      broken.push(`others saw a write after ${late} ms`);
    await query(replica.url, 'SELECT pg_wal_replay_resume()');
    await replica.halt();
    for (let n = rounds; n < rounds + 10; n++) await writeAndRead(n);
    await replica.start();
    await until(
      async () => (await query(replica.url, 'SELECT 1').catch(() => [])).length > 0,
      10_000,
    );
    await pause(3_000);
    if (!(await used())) broken.push('the replica is not read after its return');
    return {
      rounds,
      acknowledged,
      lost,
      broken: [...new Set(broken)].slice(0, 10),
      notes: `${reads} reads of own writes on the other gateway; others saw a write after ${late} ms with replay paused`,
    };
  },
};
