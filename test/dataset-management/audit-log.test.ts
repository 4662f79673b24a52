import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDatasetApp, type DatasetApp } from '../support/datasets.ts';
import { jpeg } from '../support/images.ts';

let app: DatasetApp;
let actor: string;
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  const [row] = await app.services.db.rows(`SELECT id FROM "user" WHERE login = 'owner'`, []);
  actor = `user:${row?.[0]}`;
});
afterAll(() => app.close());

const record = async (): Promise<unknown[]> =>
  (
    await app.services.db.rows(
      `SELECT actor, action, target FROM audit_log
      WHERE outcome = 'DONE' AND action NOT IN ('createSession', 'import', 'createWorkspace', 'createDataset', 'addImage') ORDER BY id`,
      [],
    )
  ).map(([who, action, target]) => [who, action, target]);

test('enabling encryption, deleting and undoing are on record with who did it', async () => {
  const workspace = await app.workspace();
  const dataset = await app.dataset(workspace);
  const image = await app.image(dataset, await jpeg());
  const { data } = await app.gql(
    'query ($uuid: UUID!) { image(uuid: $uuid) { id } }',
    { uuid: image },
    app.tokens.owner,
  );
  const deleted = await app.gql(
    'mutation ($id: ID!) { deleteImage(input: { imageId: $id }) { ... on DeletePayload { undoToken } } }',
    { id: data.image.id },
    app.tokens.owner,
  );
  const { undoToken } = deleted.data.deleteImage;
  await app.gql(
    'mutation ($t: String!) { undoDelete(input: { undoToken: $t }) { __typename } }',
    { t: undoToken },
    app.tokens.owner,
  );
  expect(
    (
      await app.gql(
        'mutation ($t: String!) { undoDelete(input: { undoToken: $t }) { __typename } }',
        { t: undoToken },
        app.tokens.owner,
      )
    ).data.undoDelete,
  ).toEqual({ __typename: 'NotFoundError' });
  await app.data(app.post('/api/Images/delete', { imageId: image }));
  await app.data(
    app.post('/api/Workspaces/enableEncryption', {
      workspaceId: workspace,
      checksum: 'x'.repeat(44),
    }),
  );
  await app.post('/api/Workspaces/enableEncryption', {
    workspaceId: workspace,
    checksum: 'y'.repeat(44),
  });
  await app.data(app.post('/api/Datasets/delete', { datasetId: dataset }));
  await app.post('/api/Datasets/delete', { datasetId: dataset });
  await app.post('/api/Workspaces/delete', { workspaceId: workspace }, app.tokens.other);
  await app.data(app.post('/api/Workspaces/delete', { workspaceId: workspace }));
  expect(await record()).toEqual([
    [actor, 'deleteImage', image],
    [actor, 'undoDelete', image],
    [actor, 'deleteImage', image],
    [actor, 'enableEncryption', workspace],
    [actor, 'deleteDataset', dataset],
    [actor, 'deleteWorkspace', workspace],
  ]);
});

test('of two deletions at the same time one is told that there is nothing left', async () => {
  const workspace = await app.workspace();
  const dataset = await app.dataset(workspace);
  const before = (await record()).length;
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() => app.post('/api/Datasets/delete', { datasetId: dataset })),
  );
  expect(answers.filter(({ json }) => json.isSuccess)).toHaveLength(1);
  expect(answers.filter(({ json }) => json.errorCodes?.[0] === 'DATASET_NOT_FOUND')).toHaveLength(
    3,
  );
  expect((await record()).length).toBe(before + 1);
});
