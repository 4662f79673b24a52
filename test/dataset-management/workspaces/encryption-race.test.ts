import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../src/core/database/db.ts';
import { failure, startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';
import { untilSomebodyWaits } from '../../support/until-somebody-waits.ts';

let app: DatasetApp;
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
});
afterAll(() => app.close());

/** Enables encryption while another transaction, that has written but not ended, holds the workspace's row. */
async function encryptDuring(
  workspaceId: string,
  write: (tx: Database) => Promise<unknown>,
): Promise<Awaited<ReturnType<DatasetApp['post']>>> {
  let encrypting: ReturnType<DatasetApp['post']> | undefined;
  await app.services.db.transaction(async (_, tx) => {
    await tx.rows('SELECT FROM workspace WHERE id = $1 FOR SHARE', [workspaceId]);
    await write(tx);
    encrypting = app.post('/api/Workspaces/enableEncryption', {
      workspaceId,
      checksum: randomBytes(32).toString('base64'),
    });
    await untilSomebodyWaits(app.services.db);
  });
  if (!encrypting) throw new Error('it was not asked for');
  return encrypting;
}

test('F231 an image that is being stored when its workspace is to be encrypted counts', async () => {
  const workspace = await app.workspace();
  const [from, to] = [await app.dataset(workspace, 'from'), await app.dataset(workspace, 'to')];
  const image = await app.image(from, await jpeg());
  await app.data(app.post('/api/Images/delete', { imageId: image }));
  // As an upload does it: under a lock of the workspace, not yet committed.
  const answer = await encryptDuring(workspace, (tx) =>
    tx.prisma.image.update({ where: { id: image }, data: { datasetId: to, deletedAt: null } }),
  );
  expect(answer).toMatchObject(failure(400, 'WORKSPACE_NOT_EMPTY'));
});

test('F231 an upload and encryption at the same moment: one of them is refused', async () => {
  const photo = await jpeg();
  for (let round = 0; round < 5; round++) {
    const workspace = await app.workspace();
    const DatasetId = await app.dataset(workspace);
    const [upload, encryption] = await Promise.all([
      app.upload({ DatasetId, FileName: 'a.jpg', Image: photo }),
      app.post('/api/Workspaces/enableEncryption', {
        workspaceId: workspace,
        checksum: randomBytes(32).toString('base64'),
      }),
    ]);
    expect([upload.status, encryption.status].sort()).toEqual([200, 400]);
  }
});

test('an upload whose workspace becomes encrypted while it is decoded is told so', async () => {
  const workspaceId = await app.workspace();
  const DatasetId = await app.dataset(workspaceId);
  const { imaging } = app.services;
  const inspect = imaging.inspect.bind(imaging);
  try {
    imaging.inspect = async (...image) => {
      const checksum = randomBytes(32).toString('base64');
      await app.data(app.post('/api/Workspaces/enableEncryption', { workspaceId, checksum }));
      return inspect(...image);
    };
    expect(await app.upload({ DatasetId, FileName: 'a.jpg', Image: await jpeg() })).toMatchObject(
      failure(400, 'NOT_ENCRYPTED_PAYLOAD'),
    );
  } finally {
    imaging.inspect = inspect;
  }
});

test('a deleted image that comes back while its workspace is encrypted: one of them is refused', async () => {
  const photo = await jpeg();
  for (let round = 0; round < 5; round++) {
    const workspace = await app.workspace();
    const image = await app.image(await app.dataset(workspace), photo);
    const deleted = await app.post('/api/Images/delete', { imageId: image });
    const undoToken = deleted.headers.get('x-undo-token');
    const [undone, encryption] = await Promise.all([
      app.gql(
        'mutation ($input: UndoDeleteInput!) { undoDelete(input: $input) { __typename } }',
        { input: { undoToken } },
        app.tokens.owner,
      ),
      app.post('/api/Workspaces/enableEncryption', {
        workspaceId: workspace,
        checksum: randomBytes(32).toString('base64'),
      }),
    ]);
    const restored = undone.data.undoDelete.__typename === 'UndoDeletePayload';
    expect({ restored, encrypted: encryption.status === 200 }).toEqual({
      restored,
      encrypted: !restored,
    });
  }
});
