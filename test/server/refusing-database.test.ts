import { expect, it } from 'vitest';
import { startApp } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';

const PIN =
  'mutation ($id: ID!) { setFeedState(input: { feedIds: [$id], pinned: true }) { __typename } }';

it.each([
  ['has no rights any more', '42501'],
  ['may not log in any more', '28000'],
  ['finds no such database', '3D000'],
  ['is told of a file that can’t be read', '58030'],
])('a write of a gateway that %s is told to try again', async (_, code) => {
  const app = await startApp();
  try {
    await app.load([...organisation, feed(1)]);
    const token = await app.signedIn('ana');
    const pin = () => app.gql(PIN, { id: Buffer.from('Feed:1').toString('base64') }, token);
    const { pool } = app.services.db;
    await pool.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${code}'; END $$`);
    await pool.query(`CREATE TRIGGER refuse BEFORE INSERT ON feed_user_state
        FOR EACH ROW EXECUTE FUNCTION refuse()`);
    expect((await pin()).errors).toMatchObject([
      { extensions: { code: 'SERVICE_UNAVAILABLE', retryAfter: 2 } },
    ]);
    await pool.query('DROP TRIGGER refuse ON feed_user_state');
    expect((await pin()).errors).toBeUndefined();
  } finally {
    await app.close();
  }
});
