import pg from 'pg';
import { expect, it } from 'vitest';
import { freshDatabase, startApp } from '../support/app.ts';
import { hasServer } from '../support/migrated.ts';
import { feed, organisation } from '../support/records.ts';

const PIN =
  'mutation ($id: ID!, $pinned: Boolean) { setFeedState(input: { feedIds: [$id], pinned: $pinned }) { __typename } }';

it.runIf(hasServer())(
  'a server that takes no writes any more is unavailable, and connections to it are left',
  async () => {
    const database = await freshDatabase();
    if (database.kind !== 'server') throw new Error('no server');
    const { pathname } = new URL(database.url);
    const name = pathname.slice(1);
    const admin = new pg.Client(database.url.replace(pathname, '/postgres'));
    await admin.connect();
    const app = await startApp({ database });
    try {
      await app.load([...organisation, feed(1)]);
      const token = await app.signedIn('ana');
      const id = Buffer.from('Feed:1').toString('base64');
      const pin = (pinned: boolean): Promise<any> => app.gql(PIN, { id, pinned }, token);
      expect((await pin(true)).errors).toBeUndefined();

      // For the sessions that begin after it: as on a primary that has become a replica.
      await admin.query(`ALTER DATABASE "${name}" SET default_transaction_read_only = on`);
      await admin.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1',
        [name],
      );
      await expect
        .poll(async () => (await pin(false)).errors?.[0].extensions, { timeout: 20_000 })
        .toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      expect((await pin(false)).status).toBe(503);
      const reads = Array.from({ length: 10 }, () => app.rest('/task/v1/feeds/list', token));
      for (const { status } of await Promise.all(reads)) expect(status).toBe(200);

      // The sessions that began meanwhile stay as they are: one refused write ends them all, this or that of a background job.
      await admin.query(`ALTER DATABASE "${name}" RESET default_transaction_read_only`);
      expect([200, 503]).toContain((await pin(false)).status);
      const writes = await Promise.all(Array.from({ length: 10 }, () => pin(false)));
      for (const { errors } of writes) expect(errors).toBeUndefined();
    } finally {
      await app.close();
      await admin.end();
    }
  },
  60_000,
);
