import { afterAll, beforeAll, expect, test } from 'vitest';
import { failure, startDatasetApp, type DatasetApp } from '../support/datasets.ts';
import { interceptRows } from '../support/intercept-rows.ts';

let app: DatasetApp;
let ids: Record<'datasetId' | 'projectId', string>;
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  const workspace = await app.workspace();
  const datasetId = await app.dataset(workspace);
  ids = { datasetId, projectId: await app.project(workspace, datasetId) };
});
afterAll(() => app.close());

const stored = (): Promise<unknown> =>
  app.services.db.rows(
    `SELECT d.name, d.status, d.version, (SELECT count(*) FROM project_dataset) FROM dataset d WHERE id = $1`,
    [ids.datasetId],
  );

test.each([
  ['/api/Datasets/publish', {}],
  ['/api/Datasets/update', { name: 'another', description: '' }],
  ['/api/Projects/UnlinkDataset', {}],
  ['/api/Projects/AssignDataset', {}],
])(
  '%s writes nothing where the domain was locked after its rights were checked',
  async (path, more) => {
    // Each of them would change something.
    if (path.endsWith('AssignDataset'))
      await app.data(app.post('/api/Projects/UnlinkDataset', ids));
    const before = await stored();
    const setState = (state: string): Promise<unknown> =>
      app.services.db.prisma.domain.updateMany({ where: { name: 'one' }, data: { state } });
    const restore = interceptRows(app.services.db, (run) => async (text, ...rest) => {
      const found = await run(text, ...rest);
      if (text.includes('JOIN dataset d')) {
        restore();
        await setState('LOCKED');
      }
      return found;
    });
    const refused = await app.post(path, { ...ids, ...more });
    await setState('OPEN');
    expect(refused).toMatchObject(failure(500, 'INTERNAL_ERROR'));
    expect(refused.headers.get('retry-after')).toBe('3');
    expect(await stored()).toEqual(before);
  },
);
