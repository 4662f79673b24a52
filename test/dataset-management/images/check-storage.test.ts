import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  checkStorage,
  findOrphans,
} from '../../../src/dataset-management/images/blobs/check-storage.ts';
import { nameObjects } from '../../../src/dataset-management/images/blobs/name-objects.ts';
import { sweep } from '../../../src/dataset-management/sweep/sweep.ts';
import { sweepStorage } from '../../../src/dataset-management/sweep/sweep-storage.ts';
import { NOON } from '../../support/app.ts';
import { drivers, startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';

const DAY = 24 * 3600 * 1000;
const orphan = `9b2f4f4e-0c1d-4c6e-9a55-0d8a8f0f6b11/ab/${'ab'.repeat(32)}-0123456789ab`;

describe.each(drivers)('storage check on %s', (driver) => {
  let app: DatasetApp;
  let dataset: string;
  beforeAll(async () => {
    app = await startDatasetApp(driver, { now: Date.now() });
    dataset = await app.dataset(await app.workspace());
  });
  afterAll(() => app.close());

  const stage = async (text: string) => app.services.storage.stage(once(text));
  const keyOf = async (image: string): Promise<string> =>
    (
      await app.services.db.rows(
        'SELECT b.storage_key FROM image i JOIN blob b ON b.id = i.blob_id WHERE i.id = $1',
        [image],
      )
    )[0]?.[0] ?? '';

  test('finds nothing wrong after uploads', async () => {
    await app.image(dataset, await jpeg());
    expect(await checkStorage(app.services, { content: true })).toEqual({
      missing: [],
      corrupt: [],
      orphans: [],
      rows: 2,
      objects: 2,
    });
  });

  test('the sweep leaves bytes that an upload is about to use again', async () => {
    const { db } = app.services;
    const image = await app.image(dataset, await jpeg(17, 20));
    const key = await keyOf(image);
    const kept = await db.prisma.image.findUniqueOrThrow({ where: { id: image } });
    await db.prisma.image.delete({ where: { id: image } });
    const later = { ...app.services, clock: () => Date.now() + 31 * DAY };
    let swept: Promise<unknown> | undefined;
    await db.transaction(async (_, tx) => {
      // As an upload of the same bytes does it.
      await tx.rows('SELECT FROM blob WHERE id = ANY ($1::uuid[]) FOR UPDATE', [
        [kept.blobId, kept.thumbBlobId],
      ]);
      swept = sweepStorage(later);
      if (!db.embedded) await swept;
      await tx.prisma.image.create({ data: kept });
    });
    await swept;
    expect(await keyOf(image)).toBe(key);
    expect(await app.services.storage.stat(key)).toBeDefined();
    await db.prisma.image.delete({ where: { id: image } });
    await sweepStorage(later);
    expect(await app.services.storage.stat(key)).toBeUndefined();
  });

  test('an upload of bytes that the sweep removes while its thumbnail is put is stored as a whole', async () => {
    const { db, storage } = app.services;
    const photo = await jpeg(18, 20);
    const old = await app.image(dataset, photo);
    // Its thumbnail was made in another way than today's.
    await db.rows(
      `UPDATE blob SET sha256 = repeat('0', 64) WHERE id = (SELECT thumb_blob_id FROM image WHERE id = $1)`,
      [old],
    );
    await db.prisma.image.delete({ where: { id: old } });
    const put = storage.put.bind(storage);
    storage.put = async (...args) => {
      storage.put = put;
      await sweepStorage({ ...app.services, clock: () => Date.now() + 31 * DAY });
      return put(...args);
    };
    const before = await app.objects();
    const image = await app.image(dataset, photo);
    const { bytes } = await app.download(`/api/Images/download?imageId=${image}`);
    expect(bytes.equals(photo)).toBe(true);
    expect((await app.download(`/api/Images/downloadThumb?imageId=${image}`)).status).toBe(200);
    // The two that are new have taken the place of the two that were swept.
    expect(await app.objects()).toHaveLength(before.length);
  });

  test('says whose files missing objects are', async () => {
    const [first, second] = [
      await app.image(dataset, await jpeg(13, 20), 'a "b".jpg'),
      await app.image(dataset, await jpeg(13, 20), 'c.jpg'),
    ];
    const key = await keyOf(first);
    const names = await nameObjects(app.services, [key, 'w/unknown']);
    expect([...names]).toEqual([
      [
        key,
        [
          `image ${first} "a \\"b\\".jpg" of dataset ${dataset}`,
          `image ${second} "c.jpg" of dataset ${dataset}`,
        ].sort(),
      ],
    ]);
  });

  test('names missing, corrupt and orphaned objects, and changes nothing', async () => {
    const [gone, short, changed] = [
      await keyOf(await app.image(dataset, await jpeg(10, 20))),
      await keyOf(await app.image(dataset, await jpeg(11, 20))),
      await keyOf(await app.image(dataset, await jpeg(12, 20))),
    ];
    const { storage } = app.services;
    const size = (await storage.stat(changed))?.size ?? 0;
    await storage.delete(gone);
    await storage.put(await stage('short'), short);
    await storage.put(await stage('x'.repeat(size)), changed);
    await storage.put(await stage('orphan'), orphan);
    const before = await app.objects();
    expect(await checkStorage(app.services)).toMatchObject({ missing: [gone], corrupt: [short] });
    const report = await checkStorage(app.services, { content: true });
    expect(report).toMatchObject({ missing: [gone], orphans: [{ key: orphan }] });
    expect(report.corrupt.sort()).toEqual([short, changed].sort());
    expect(await app.objects()).toEqual(before);
  });

  test('F216 deleted images, datasets and workspaces keep their bytes for 30 days, then lose them; shared bytes stay', async () => {
    const now = Date.now();
    app.setTime(now);
    const workspace = await app.workspace();
    const [first, second] = [await app.dataset(workspace), await app.dataset(workspace)];
    const [shared, single] = [await jpeg(31, 9), await jpeg(32, 9)];
    const kept = await app.image(second, shared);
    const deleted = [await app.image(first, shared), await app.image(first, single)];
    for (const imageId of deleted) await app.data(app.post('/api/Images/delete', { imageId }));
    const doomed = await app.workspace();
    await app.image(await app.dataset(doomed), await jpeg(33, 9));
    await app.data(app.post('/api/Workspaces/delete', { workspaceId: doomed }));
    const keys = (await app.objects()).filter(
      (key) => key.startsWith(workspace) || key.startsWith(doomed),
    );
    expect(keys.length).toBe(6);
    app.setTime(now + 29 * DAY);
    await sweepStorage(app.services);
    expect((await app.objects()).filter((key) => keys.includes(key))).toEqual(keys);
    app.setTime(now + 31 * DAY);
    await sweepStorage(app.services);
    const left = (await app.objects()).filter((key) => keys.includes(key));
    expect(left.length).toBe(2);
    expect(left).toContain(await keyOf(kept));
    expect((await app.objects()).includes(orphan)).toBe(false);
    expect(await app.services.db.rows('SELECT 1 FROM workspace WHERE id = $1', [doomed])).toEqual(
      [],
    );
    app.setTime(NOON);
  });

  test('leaves files alone that are not of a gateway, whatever their names', async () => {
    const { storage } = app.services;
    await storage.put(await stage('of others'), 'photos/holiday.jpg');
    if (driver === 'filesystem') {
      const file = join(app.folder, 'blobs', 'objects', 'Thumbs.db');
      await writeFile(file, 'of others');
      await utimes(file, 0, 0);
    }
    expect((await checkStorage(app.services)).orphans).toEqual([]);
    app.setTime(Date.now() + 31 * DAY);
    await sweepStorage(app.services);
    app.setTime(NOON);
    expect(await app.objects()).toContain('photos/holiday.jpg');
    await storage.delete('photos/holiday.jpg');
  });

  test('F216 many images are removed in steps, and so are annotations of a deleted project; a sweep that is ended goes on later', async () => {
    const now = Date.now();
    app.setTime(now);
    const workspace = await app.workspace();
    const [doomed, other] = [await app.dataset(workspace), await app.dataset(workspace)];
    const [gone, kept] = [
      await app.image(doomed, await jpeg(34, 9)),
      await app.image(other, await jpeg(35, 9)),
    ];
    const project = await app.project(workspace, doomed);
    const sql = (text: string, params: (string | number)[] = []): Promise<unknown[][]> =>
      app.services.db.rows(text, params);
    await sql(
      `INSERT INTO image (id, dataset_id, name, width, height, blob_id, thumb_blob_id, created_date)
       SELECT gen_random_uuid(), dataset_id, name, width, height, blob_id, thumb_blob_id, created_date FROM image, generate_series(1, 249) WHERE id = $1`,
      [gone],
    );
    await sql(
      `INSERT INTO annotation_class (id, project_id, name, color, position) VALUES (gen_random_uuid(), $1, 'c', '#000000', 1)`,
      [project],
    );
    await sql(
      `INSERT INTO annotation (id, image_id, project_id, class_id, shape, geometry, created_at)
       SELECT gen_random_uuid(), $1::uuid, c.project_id, c.id, 'BBOX', '[1,1,2,2]', now() FROM annotation_class c, generate_series(1, 2100) WHERE c.project_id = $2`,
      [kept, project],
    );
    await app.data(app.post('/api/Datasets/delete', { datasetId: doomed }));
    const { errors } = await app.gql(
      'mutation ($p: ID!) { deleteProject(input: { projectId: $p }) { __typename } }',
      { p: Buffer.from(`Project:${project}`).toString('base64') },
      app.tokens.owner,
    );
    expect(errors).toBeUndefined();
    app.setTime(now + 31 * DAY);
    const stopped = AbortSignal.abort(new Error('the gateway stops'));
    for (const end of [
      () => sweepStorage(app.services, stopped),
      () => findOrphans(app.services, stopped),
      () => sweep(app.services, stopped),
    ])
      await expect(end()).rejects.toThrow('the gateway stops');
    expect(await sweepStorage(app.services)).toMatchObject({ rows: 252 });
    const left = 'SELECT count(*)::int FROM';
    expect(
      await sql(`${left} image WHERE dataset_id = ANY ($1)`, [`{${doomed},${other}}`]),
    ).toEqual([['1']]);
    expect(await sql(`${left} annotation WHERE project_id = $1`, [project])).toEqual([['0']]);
    app.setTime(NOON);
  });
});

async function* once(text: string): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield Buffer.from(text);
}
