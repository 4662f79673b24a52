import { afterAll, beforeAll, expect, test } from 'vitest';
import { datasetCounts } from '../../../src/dataset-management/content/content.sql.ts';
import { projectCounts } from '../../../src/dataset-management/projects/projects.sql.ts';
import { bytesSent } from '../../../src/server/http/answers-sent.ts';
import { startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { interceptRows } from '../../support/intercept-rows.ts';

const ROWS = 2_400;

let app: DatasetApp;
let workspaceId: string;
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  workspaceId = await app.workspace('large');
  for (const [table, also, value] of [
    ['dataset', ', updated_at', ', now()'],
    ['project', '', ''],
  ])
    await app.services.db.rows(
      `INSERT INTO ${table} (id, workspace_id, name, description, created_at${also})
        SELECT gen_random_uuid(), $1, 'row ' || n, repeat('x', 1000), timestamptz '2026-01-01 00:00Z' + n * interval '1 second'${value} FROM generate_series(1, ${ROWS}) n`,
      [workspaceId],
    );
});
afterAll(() => app.close());

test.each([
  ['/api/Datasets', datasetCounts],
  ['/api/Projects', projectCounts],
])(
  'GET %s answers with all of a long list, which counts while it is made; others are answered meanwhile',
  async (path, of) => {
    const counting = of.build({ ids: [] }).text;
    const meanwhile: number[] = [];
    const counted: number[] = [];
    const stop = interceptRows(app.services.db, (run) => async (text, ...rest) => {
      if (text === counting) {
        meanwhile.push((await fetch(`${app.url}/healthz`)).status);
        counted.push(bytesSent());
      }
      return run(text, ...rest);
    });
    const list = await app.data(app.get(`${path}?workspaceId=${workspaceId}`)).finally(stop);
    expect(list.map(({ name }: { name: string }) => name)).toEqual(
      Array.from({ length: ROWS }, (_, n) => `row ${n + 1}`),
    );
    expect(meanwhile).toEqual([200, 200, 200]);
    // What is read in batches of 1,000 counts beyond 1 MiB.
    const [first = 0, second = 0, third = 0] = counted;
    expect([first > 2 ** 20, second > 2 ** 20, third > second]).toEqual([true, true, true]);
    await expect.poll(bytesSent).toBe(0);
  },
);
