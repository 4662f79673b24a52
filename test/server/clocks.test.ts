import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { sweep } from '../../src/dataset-management/sweep/sweep.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { organisation } from '../support/records.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** How far the clock of the gateway's machine is ahead. */
let offset = 10 * MINUTE;

// The embedded database has one gateway, and its clock.
describe.skipIf(inject('template').kind === 'embedded')(
  'the clock of the database holds, whatever that of a gateway says',
  () => {
    let app: TestApp;
    let token: string;
    beforeAll(async () => {
      const now = Date.now.bind(Date);
      vi.spyOn(Date, 'now').mockImplementation(() => now() + offset);
      app = await startApp({ realClock: true });
      await app.load(organisation);
      token = await app.signedIn('ana');
    });
    afterAll(async () => {
      await app.close();
      vi.restoreAllMocks();
    });

    it('a poll is told the time of the database', async () => {
      offset = 10 * MINUTE;
      const time = async (): Promise<number> =>
        (await app.services.db.pool.query('SELECT clock_timestamp() AS now')).rows[0].now.getTime();
      const earliest = await time();
      const { headers } = await app.rest('/task/v1/feeds/list-latest?from_time=0', token);
      const told = Number(headers.get('x-last-fetch-time'));
      expect(told).toBeGreaterThan(earliest - MINUTE);
      expect(told).toBeLessThan((await time()) + MINUTE);
    });

    it('what was deleted can be brought back after a sweep of a gateway whose clock is 40 days ahead', async () => {
      offset = 0;
      const post = (path: string, body: object) =>
        app.rest(path, token, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      const { data: workspaceId } = (await post('/api/Workspaces/create', { name: 'W' })).json;
      const dataset = { workspaceId, name: 'D', description: '' };
      const { data: datasetId } = (await post('/api/Datasets/create', dataset)).json;
      const deleted = await post('/api/Datasets/delete', { datasetId });
      offset = 40 * DAY;
      await sweep(app.services);
      offset = 0;
      const undone = await app.gql(
        'mutation ($undoToken: String!) { undoDelete(input: { undoToken: $undoToken }) { __typename } }',
        { undoToken: deleted.headers.get('x-undo-token') },
        token,
      );
      expect(undone.data?.undoDelete.__typename).toBe('UndoDeletePayload');
    });
  },
);
