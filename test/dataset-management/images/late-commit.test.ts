import type { PoolClient } from 'pg';
import { expect, test } from 'vitest';
import type { SharedRoundTrip } from '../../../src/core/wire/shared-round-trip.ts';
import { startDatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';

test('an upload whose commit comes through after its connection was given up keeps its bytes', async () => {
  const app = await startDatasetApp('filesystem');
  try {
    const dataset = await app.dataset(await app.workspace());
    const { pool } = app.services.db;
    const connect = pool.connect.bind(pool) as (callback?: unknown) => Promise<PoolClient>;
    let commit: (() => Promise<unknown>) | undefined;
    // The server gets COMMIT, alone or together with the last statements, but its answer, and all that is sent afterwards, is lost.
    const losing = async (callback?: unknown): Promise<PoolClient> => {
      const client = await connect(callback);
      // Single statements, and all that begins after the loss, have connections as ever.
      if (callback !== undefined || commit) return client;
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      const release = client.release.bind(client);
      const lost = (): Promise<never> =>
        Promise.reject(Object.assign(new Error('connection lost'), { code: 'ECONNRESET' }));
      // Background jobs have transactions, too.
      let [uploads, mine] = [false, false];
      Object.assign(client, {
        query: (...args: unknown[]) => {
          if (mine) return lost();
          const trip = args[0] as string | Partial<Pick<SharedRoundTrip, 'callback' | 'texts'>>;
          const texts = typeof trip === 'string' ? [trip] : (trip.texts ?? [JSON.stringify(trip)]);
          uploads ||= texts.some((text) => /INSERT INTO[^(]*\bimage\b/.test(text));
          if (texts.at(-1) !== 'COMMIT' || !uploads || commit) return query(...args);
          mine = true;
          const { callback } = typeof trip === 'string' ? {} : trip;
          commit = async () => {
            if (typeof trip === 'string') await query(trip);
            else
              await new Promise((resolve) => {
                trip.callback = resolve;
                void query(trip);
              });
            Reflect.deleteProperty(client, 'query');
            release();
          };
          if (!callback) return lost();
          return void lost().catch(callback);
        },
        release: (broken?: boolean) => (mine ? undefined : release(broken)),
      });
      return client;
    };
    Object.assign(pool, { connect: losing });
    const answer = await app.upload({
      DatasetId: dataset,
      FileName: 'late.jpg',
      Image: await jpeg(),
    });
    Object.assign(pool, { connect });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([500, '2']);
    expect(await app.objects()).toHaveLength(2);
    await commit?.();
    const [[id] = []] = await app.services.db.rows('SELECT id FROM image', []);
    expect((await app.download(`/api/Images/download?imageId=${id}`)).status).toBe(200);
    expect((await app.download(`/api/Images/downloadThumb?imageId=${id}`)).status).toBe(200);
  } finally {
    await app.close();
  }
});
