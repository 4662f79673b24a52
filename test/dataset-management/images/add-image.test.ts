import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StorageFullError } from '../../../src/core/context/storage.ts';
import { BusyError } from '../../../src/core/turns/limit-waiting.ts';
import { drivers, failure, startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg, picture } from '../../support/images.ts';

describe.each(drivers)('images on %s', (driver) => {
  let app: DatasetApp;
  let workspace: string;
  let dataset: string;
  beforeAll(async () => {
    app = await startDatasetApp(driver, { env: { MAX_IMAGE_BYTES: '2000000' } });
    workspace = await app.workspace();
    dataset = await app.dataset(workspace);
  });
  afterAll(() => app.close());

  const staging = (): string =>
    driver === 's3' ? join(app.folder, 'staging') : join(app.folder, 'blobs', 'staging');
  /** Nothing was left by what failed: no row, no object, no staged file. */
  const unchanged = async (work: () => Promise<void>): Promise<void> => {
    const state = async (): Promise<unknown> => [
      await app.objects(),
      await app.services.db.rows(
        'SELECT count(*) FROM image UNION ALL SELECT count(*) FROM blob',
        [],
      ),
    ];
    const before = await state();
    await work();
    expect(await state()).toEqual(before);
    expect(await readdir(staging())).toEqual([]);
  };

  test('F211 F213 F215 a plain upload stores the file, reads its upright size and makes the thumbnail', async () => {
    const photo = await picture(400, 300).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const id = await app.image(dataset, photo, 'photo.png');
    const page = await app.data(
      app.get(`/api/Datasets/images?DatasetId=${dataset}&PageSize=1000&PageNumber=1`),
    );
    expect(page.data.find((image: { id: string }) => image.id === id)).toEqual({
      id,
      name: 'photo.png',
      width: 300,
      height: 400,
      createdDate: '2026-11-20T12:00:00Z',
      hasAnnotations: false,
    });
    const file = await app.download(`/api/Images/download?imageId=${id}`);
    expect(file.bytes.equals(photo)).toBe(true);
    expect(file.headers.get('content-type')).toBe('image/jpeg');
    const thumbnail = await app.download(`/api/Images/downloadThumb?imageId=${id}`);
    expect(thumbnail.headers.get('content-type')).toBe('image/jpeg');
    expect(await sharp(thumbnail.bytes).metadata()).toMatchObject({
      format: 'jpeg',
      width: 270,
      height: 200,
    });
  });

  test.each(['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const)(
    'F213 takes %s and gives it back byte by byte under its own type',
    async (type) => {
      const bytes = await picture(60, 40).toFormat(type).toBuffer();
      const file = await app.download(
        `/api/Images/download?imageId=${await app.image(dataset, bytes, 'x')}`,
      );
      expect([file.headers.get('content-type'), file.bytes.equals(bytes)]).toEqual([
        `image/${type}`,
        true,
      ]);
    },
  );

  test('F213 fields may come after the file and in any case', async () => {
    const id = await app.data(
      app.upload({ IMAGE: await jpeg(), filename: 'a.jpg', datasetid: dataset.toUpperCase() }),
    );
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('F213 width, height and thumbnail of the client are ignored in a plain workspace (D-68)', async () => {
    const id = await app.data(
      app.upload({
        DatasetId: dataset,
        FileName: 'a.jpg',
        Image: await jpeg(31, 17),
        Width: '9',
        Height: '9',
        Thumbnail: Buffer.from('no image'),
      }),
    );
    const { data } = await app.gql(
      'query ($uuid: UUID!) { image(uuid: $uuid) { width height } }',
      { uuid: id },
      app.tokens.owner,
    );
    expect(data.image).toEqual({ width: 31, height: 17 });
  });

  test('the same bytes twice are two records and one object; in another workspace they are another object', async () => {
    const bytes = await jpeg(77, 55);
    const before = (await app.objects()).length;
    const first = await app.image(dataset, bytes);
    const second = await app.image(dataset, bytes);
    expect(first).not.toBe(second);
    expect((await app.objects()).length).toBe(before + 2);
    await app.image(await app.dataset(await app.workspace()), bytes);
    expect((await app.objects()).length).toBe(before + 4);
  });

  test('the same new bytes at once are one object', async () => {
    const bytes = await jpeg(78, 55);
    const before = (await app.objects()).length;
    await Promise.all([1, 2, 3, 4].map(() => app.image(dataset, bytes)));
    expect((await app.objects()).length).toBe(before + 2);
  });

  test.each([
    ['a truncated file', async () => (await jpeg(900, 700)).subarray(0, 5000), 'INVALID_IMAGE'],
    [
      'SVG',
      () =>
        Promise.resolve(
          Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
        ),
      'UNSUPPORTED_IMAGE_TYPE',
    ],
    [
      'HTML',
      () => Promise.resolve(Buffer.from('<script>alert(1)</script>')),
      'UNSUPPORTED_IMAGE_TYPE',
    ],
    ['zero bytes', () => Promise.resolve(Buffer.alloc(0)), 'UNSUPPORTED_IMAGE_TYPE'],
    ['more bytes than allowed', () => Promise.resolve(randomBytes(2_000_001)), 'IMAGE_TOO_LARGE'],
    [
      'far more bytes than allowed',
      () => Promise.resolve(randomBytes(5_000_000)),
      'IMAGE_TOO_LARGE',
    ],
  ])('F236 refuses %s and leaves nothing', async (_name, make, code) => {
    const bytes = await make();
    await unchanged(async () => {
      expect(
        await app.upload({ DatasetId: dataset, FileName: 'x.jpg', Image: bytes }),
      ).toMatchObject(failure(400, code));
    });
  });

  test.each([
    ['no image', { FileName: 'x.jpg' }, 'IMAGE_REQUIRED'],
    ['no file name', { Image: true }, 'FILE_NAME_REQUIRED'],
    ['a blank file name', { Image: true, FileName: ' / ' }, 'FILE_NAME_REQUIRED'],
    ['300 characters', { Image: true, FileName: 'x'.repeat(300) }, 'NAME_TOO_LONG'],
    [
      'another dataset',
      { Image: true, FileName: 'x', DatasetId: randomUUID() },
      'DATASET_NOT_FOUND',
    ],
    ['no dataset', { Image: true, FileName: 'x', DatasetId: '' }, 'INVALID_ID'],
    ['a broken id', { Image: true, FileName: 'x', DatasetId: 'x' }, 'INVALID_ID'],
  ])(
    'F236 refuses an upload with %s and leaves nothing',
    async (_name, { Image, ...fields }: Record<string, string | boolean>, code) => {
      const photo = await jpeg();
      await unchanged(async () => {
        expect(
          await app.upload({
            DatasetId: dataset,
            ...(fields as Record<string, string>),
            ...(Image ? { Image: photo } : {}),
          }),
        ).toMatchObject(failure(400, code));
      });
    },
  );

  test.each([
    ['left out', {}, 'DatasetId is required'],
    ['empty', { DatasetId: '' }, 'DatasetId is required'],
    ['no UUID', { DatasetId: 'x' }, 'DatasetId is not a UUID'],
  ])('F236 says of a DatasetId that is %s what is wrong with it', async (_name, id, message) => {
    const { json } = await app.upload({ FileName: 'x.jpg', Image: await jpeg(), ...id });
    expect(json.errorMessage).toBe(message);
  });

  test('F236 refuses two parts of one name and leaves nothing', async () => {
    const photo = new Blob([Uint8Array.from(await jpeg())]);
    await unchanged(async () => {
      const form = new FormData();
      for (const name of ['Image', 'image']) form.append(name, photo);
      form.set('DatasetId', dataset);
      form.set('FileName', 'x.jpg');
      expect(
        await app.rest('/api/Images/addImage', app.tokens.owner, { method: 'POST', body: form }),
      ).toMatchObject(failure(400, 'VALIDATION_ERROR'));
    });
  });

  test('D-78 Idempotency-Key: a retry gives the same image, another upload with the same key is refused', async () => {
    const photo = await jpeg(94, 33);
    const send = async (key: string, bytes: Buffer, fileName = 'a.jpg') => {
      const form = new FormData();
      form.set('DatasetId', dataset);
      form.set('FileName', fileName);
      form.set('Image', new Blob([Uint8Array.from(bytes)]));
      const response = await fetch(`${app.url}/api/Images/addImage`, {
        method: 'POST',
        headers: { 'x-service-csrf-token-x': app.tokens.owner, 'idempotency-key': key },
        body: form,
      });
      const json: any = await response.json();
      return {
        status: response.status,
        json,
        replayed: response.headers.get('idempotent-replayed'),
      };
    };
    const first = await send('photo 1', photo);
    expect(first).toMatchObject({ status: 200, replayed: null });
    await unchanged(async () => {
      expect(await send('photo 1', photo)).toEqual({ ...first, replayed: 'true' });
      for (const other of [
        await send('photo 1', await jpeg(95, 33)),
        await send('photo 1', photo, 'b.jpg'),
      ])
        expect(other).toMatchObject(failure(400, 'VALIDATION_ERROR'));
      expect(await send('x'.repeat(300), photo)).toMatchObject(failure(400, 'VALIDATION_ERROR'));
    });
    expect((await send('photo 2', photo)).json.data).not.toBe(first.json.data);

    // The replay says that the image is stored: it has to be, whatever the storage has lost meanwhile.
    const keys = await app.services.db.rows(
      'SELECT b.storage_key FROM image i JOIN blob b ON b.id IN (i.blob_id, i.thumb_blob_id) WHERE i.id = $1',
      [first.json.data],
    );
    for (const [lost] of keys) await app.services.storage.delete(lost ?? '');
    expect(keys).toHaveLength(2);
    expect(await send('photo 1', photo)).toEqual({ ...first, replayed: 'true' });
    const stored = await app.download(`/api/Images/download?imageId=${first.json.data}`);
    expect(stored.bytes).toEqual(photo);
    const path = `/api/Images/downloadThumb?imageId=${first.json.data}`;
    expect((await app.download(path)).status).toBe(200);
  });

  test('an upload whose turn to be read does not come is 503 with Retry-After, and leaves nothing', async () => {
    const photo = await jpeg(96, 33);
    const { imaging } = app.services;
    const inspect = imaging.inspect.bind(imaging);
    await unchanged(async () => {
      imaging.inspect = () => Promise.reject(new BusyError('the job has waited too long'));
      const answer = await app.upload({ DatasetId: dataset, FileName: 'x', Image: photo });
      imaging.inspect = inspect;
      expect(answer).toMatchObject(failure(503, 'TIMEOUT'));
      expect(answer.headers.get('retry-after')).toBe('15');
    });
  });

  test('images wait in the turn of their user', async () => {
    const { imaging } = app.services;
    const inspect = imaging.inspect.bind(imaging);
    const turns: unknown[] = [];
    imaging.inspect = (path, userId) => {
      turns.push(userId);
      return inspect(path, userId);
    };
    await app.image(dataset, await jpeg(98, 33));
    imaging.inspect = inspect;
    const { prisma } = app.services.db;
    const { id } = await prisma.user.findUniqueOrThrow({ where: { login: 'owner' } });
    expect(turns).toEqual([id]);
  });

  test('an upload whose client has gone while it was read leaves nothing', async () => {
    const photo = await jpeg(97, 33);
    const { imaging, telemetry } = app.services;
    const inspect = imaging.inspect.bind(imaging);
    const request = telemetry.request.bind(telemetry);
    await unchanged(async () => {
      const client = new AbortController();
      const closed = new Promise((resolve) => {
        telemetry.request = (trace, asked, response) => {
          response.once('close', resolve);
          request(trace, asked, response);
        };
      });
      const read = new Promise<void>((resolve) => {
        imaging.inspect = async (path) => {
          client.abort();
          await closed;
          resolve();
          return inspect(path);
        };
      });
      const form = new FormData();
      form.set('DatasetId', dataset);
      form.set('FileName', 'x');
      form.set('Image', new Blob([Uint8Array.from(photo)]));
      await expect(
        fetch(`${app.url}/api/Images/addImage`, {
          method: 'POST',
          headers: { 'x-service-csrf-token-x': app.tokens.owner },
          body: form,
          signal: client.signal,
        }),
      ).rejects.toThrow();
      await read;
      imaging.inspect = inspect;
      telemetry.request = request;
      await expect.poll(() => readdir(staging()), { timeout: 60_000 }).toEqual([]);
    });
  });

  test('F236 refuses what is not a form', async () => {
    expect(await app.post('/api/Images/addImage', { DatasetId: dataset })).toMatchObject(
      failure(400, 'VALIDATION_ERROR'),
    );
  });

  test('refuses a form with a part that has no name', async () => {
    const answer = await app.rest('/api/Images/addImage', app.tokens.owner, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n',
    });
    expect(answer).toMatchObject(failure(400, 'VALIDATION_ERROR'));
    expect(answer.json.errorMessage).toBe('a part has no name');
  });

  test('an upload that breaks off leaves nothing', async () => {
    const photo = await jpeg(900, 700);
    await unchanged(async () => {
      const head = Buffer.from(
        `--b\r\nContent-Disposition: form-data; name="DatasetId"\r\n\r\n${dataset}\r\n--b\r\nContent-Disposition: form-data; name="Image"; filename="a"\r\n\r\n`,
      );
      const { hostname, port } = new URL(app.url);
      await new Promise<void>((resolve) => {
        const sent = httpRequest({
          hostname,
          port,
          path: '/api/Images/addImage',
          method: 'POST',
          headers: {
            'x-service-csrf-token-x': app.tokens.owner,
            'content-type': 'multipart/form-data; boundary=b',
            'content-length': 1_000_000,
          },
        });
        sent.on('error', () => resolve());
        sent.write(head);
        sent.write(photo.subarray(0, 3000), () => setTimeout(() => sent.destroy(), 100));
      });
      await new Promise((resolve) => setTimeout(resolve, 200));
    });
  });

  test('a failure of the storage is INTERNAL_ERROR and leaves nothing', async () => {
    const photo = await jpeg(123, 45);
    const { storage } = app.services;
    const put = storage.put.bind(storage);
    await unchanged(async () => {
      let calls = 0;
      storage.put = (staged, key) =>
        ++calls === 2 ? Promise.reject(new Error('no space left')) : put(staged, key);
      expect(await app.upload({ DatasetId: dataset, FileName: 'x', Image: photo })).toMatchObject(
        failure(500, 'INTERNAL_ERROR'),
      );
      storage.put = put;
    });
  });

  test('a storage that can not remove what is not needed changes no answer', async () => {
    const { storage } = app.services;
    const [put, remove] = [storage.put.bind(storage), storage.delete.bind(storage)];
    const waiting: (() => void)[] = [];
    try {
      storage.delete = () => Promise.reject(new Error('not now'));
      // Both find that nobody has the bytes, which image and thumbnail are; then one of them loses.
      storage.put = async (...args) => {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          if (waiting.length === 4) for (const go of waiting) go();
        });
        return put(...args);
      };
      const form = { DatasetId: dataset, FileName: 'twice.jpg', Image: await jpeg(57, 43) };
      const answers = await Promise.all([app.upload(form), app.upload(form)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      let calls = 0;
      storage.put = (...args) =>
        ++calls === 2 ? Promise.reject(new StorageFullError('full')) : put(...args);
      const full = await app.upload({ ...form, Image: await jpeg(57, 44) });
      expect(full.json.errorMessage).toBe('The storage is full');
    } finally {
      Object.assign(storage, { put, delete: remove });
    }
  });

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\photos\\a.jpg', 'a.jpg'],
    ['a\u0000b\u0007.jpg', 'ab.jpg'],
    ['gpj.\u202eexe', 'gpj.exe'],
    ['תמונה.jpg', 'תמונה.jpg'],
    ['x'.repeat(251) + '.jpg', 'x'.repeat(251) + '.jpg'],
  ])('the file name %j is stored and sent safely', async (given, stored) => {
    const id = await app.image(dataset, await jpeg(), given);
    const { data } = await app.gql(
      'query ($uuid: UUID!) { image(uuid: $uuid) { name } }',
      { uuid: id },
      app.tokens.owner,
    );
    expect(data.image.name).toBe(stored);
    const { headers } = await app.download(`/api/Images/download?imageId=${id}`);
    expect(headers.get('content-disposition')).toContain(
      `filename*=UTF-8''${encodeURIComponent(stored)}`,
    );
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="[\x20-\x7e]+"; filename\*=UTF-8''[\w%.!~-]+$/,
    );
  });

  test('F217 download: entity tag, conditional request, ranges', async () => {
    const photo = await jpeg(640, 480);
    const path = `/api/Images/download?imageId=${await app.image(dataset, photo)}`;
    const whole = await app.download(path);
    const etag = whole.headers.get('etag') ?? '';
    expect(etag).toBe(`"${createHash('sha256').update(photo).digest('hex')}"`);
    expect(
      Object.fromEntries(
        ['accept-ranges', 'content-length', 'x-content-type-options', 'api-supported-versions'].map(
          (name) => [name, whole.headers.get(name)],
        ),
      ),
    ).toEqual({
      'accept-ranges': 'bytes',
      'content-length': String(photo.length),
      'x-content-type-options': 'nosniff',
      'api-supported-versions': '1.0',
    });
    expect((await app.download(path, { 'if-none-match': etag })).status).toBe(304);
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 1],
      ['bytes=100-199', 100, 200],
      [`bytes=${photo.length - 5}-`, photo.length - 5, photo.length],
      ['bytes=-7', photo.length - 7, photo.length],
      ['bytes=5-99999999', 5, photo.length],
    ] as const) {
      const part = await app.download(path, { range });
      expect([
        part.status,
        part.headers.get('content-range'),
        part.bytes.equals(photo.subarray(start, end)),
      ]).toEqual([206, `bytes ${start}-${end - 1}/${photo.length}`, true]);
    }
    expect((await app.download(path, { range: `bytes=${photo.length}-` })).status).toBe(416);
    expect((await app.download(path, { range: 'bytes=0-4', 'if-range': '"other"' })).status).toBe(
      200,
    );
    expect((await app.download(path, { range: 'bytes=0-1,3-4' })).bytes.length).toBe(photo.length);
  });

  test('F218 thumbnails are immutable, their tag is the hash of their content', async () => {
    const path = `/api/Images/downloadThumb?imageId=${await app.image(dataset, await jpeg())}`;
    const { headers, bytes } = await app.download(path);
    expect(headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    expect(headers.get('etag')).toBe(`"${createHash('sha256').update(bytes).digest('hex')}"`);
    expect((await app.download(path, { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(
      304,
    );
  });

  test('F217 F218 unknown, foreign and broken ids', async () => {
    const id = await app.image(dataset, await jpeg());
    for (const path of ['/api/Images/download', '/api/Images/downloadThumb']) {
      expect(await app.get(`${path}?imageId=${randomUUID()}`)).toMatchObject(
        failure(400, 'IMAGE_NOT_FOUND'),
      );
      expect(await app.get(`${path}?imageId=${id}`, app.tokens.other)).toMatchObject(
        failure(400, 'IMAGE_NOT_FOUND'),
      );
      expect(await app.get(`${path}?imageId=${id}`, app.tokens.stranger)).toMatchObject(
        failure(400, 'IMAGE_NOT_FOUND'),
      );
      expect(await app.get(path)).toMatchObject(failure(400, 'INVALID_ID'));
    }
  });

  test('bytes that the storage has lost are INTERNAL_ERROR, not a broken answer', async () => {
    const id = await app.image(dataset, await jpeg(91, 19));
    const [row] = await app.services.db.rows(
      'SELECT b.storage_key FROM image i JOIN blob b ON b.id = i.blob_id WHERE i.id = $1',
      [id],
    );
    await app.services.storage.delete(row?.[0] ?? '');
    expect(await app.get(`/api/Images/download?imageId=${id}`)).toMatchObject(
      failure(500, 'INTERNAL_ERROR'),
    );
  });

  test('an object that lost a part, as where power failed, cuts the answer off, and an empty one is INTERNAL_ERROR', async () => {
    const id = await app.image(dataset, await jpeg(91, 18));
    const [row] = await app.services.db.rows(
      'SELECT b.storage_key, b.byte_size FROM image i JOIN blob b ON b.id = i.blob_id WHERE i.id = $1',
      [id],
    );
    const [key, size] = [row?.[0] ?? '', Number(row?.[1])];
    const { storage } = app.services;
    const shorten = async (to: number): Promise<void> => {
      await storage.delete(key);
      await storage.put(await storage.stage(Readable.from([Buffer.alloc(to, 1)])), key);
    };
    const path = `/api/Images/download?imageId=${id}`;
    await shorten(size - 1);
    await expect(app.download(path)).rejects.toThrow();
    expect((await app.download(path, { range: 'bytes=0-9' })).status).toBe(206);
    await shorten(0);
    expect(await app.get(path)).toMatchObject(failure(500, 'INTERNAL_ERROR'));
  });

  test('the bytes of an object that the storage has lost are stored anew when they are uploaded again, also by several at once', async () => {
    const photo = await jpeg(92, 19);
    const id = await app.image(dataset, photo);
    const keys = async (): Promise<string[]> =>
      (
        await app.services.db.rows(
          'SELECT b.storage_key FROM image i JOIN blob b ON b.id = i.blob_id OR b.id = i.thumb_blob_id WHERE i.id = $1',
          [id],
        )
      ).flatMap(([key]) => key ?? []);
    const lost = await keys();
    for (const key of lost) await app.services.storage.delete(key);
    const before = await app.objects();
    const again = await Promise.all([1, 2, 3].map(() => app.image(dataset, photo)));
    for (const one of [id, ...again]) {
      expect((await app.download(`/api/Images/download?imageId=${one}`)).bytes).toEqual(photo);
      expect((await app.download(`/api/Images/downloadThumb?imageId=${one}`)).status).toBe(200);
    }
    expect(await app.objects()).toEqual([...before, ...(await keys())].sort());
    expect(lost).toHaveLength(2);
  });

  test('F216 delete hides the image at once; again it is not found; it can be undone', async () => {
    const id = await app.image(dataset, await jpeg());
    await app.data(app.post('/api/Images/delete', { imageId: id }));
    expect(await app.get(`/api/Images/download?imageId=${id}`)).toMatchObject(
      failure(400, 'IMAGE_NOT_FOUND'),
    );
    expect(await app.post('/api/Images/delete', { imageId: id })).toMatchObject(
      failure(400, 'IMAGE_NOT_FOUND'),
    );
    const other = await app.image(dataset, await jpeg(93, 21));
    const found = await app.gql(
      'query ($uuid: UUID!) { image(uuid: $uuid) { id } }',
      { uuid: other },
      app.tokens.owner,
    );
    const deleted = await app.gql(
      'mutation ($input: DeleteImageInput!) { deleteImage(input: $input) { ... on DeletePayload { undoToken } } }',
      { input: { imageId: found.data.image.id } },
      app.tokens.owner,
    );
    expect((await app.get(`/api/Images/download?imageId=${other}`)).status).toBe(400);
    const undone = await app.gql(
      'mutation ($input: UndoDeleteInput!) { undoDelete(input: $input) { ... on UndoDeletePayload { restoredId } } }',
      { input: { undoToken: deleted.data.deleteImage.undoToken } },
      app.tokens.owner,
    );
    expect(undone.data.undoDelete).toEqual({ restoredId: found.data.image.id });
    expect((await app.download(`/api/Images/download?imageId=${other}`)).bytes).toEqual(
      await jpeg(93, 21),
    );
  });

  test('F209 D-65 a published dataset is frozen', async () => {
    const frozen = await app.dataset(workspace);
    const id = await app.image(frozen, await jpeg());
    for (let n = 0; n < 2; n++)
      await app.data(app.post('/api/Datasets/publish', { datasetId: frozen }));
    expect(
      await app.upload({ DatasetId: frozen, FileName: 'x', Image: await jpeg() }),
    ).toMatchObject(failure(400, 'DATASET_PUBLISHED'));
    expect(await app.post('/api/Images/delete', { imageId: id })).toMatchObject(
      failure(400, 'DATASET_PUBLISHED'),
    );
  });

  test('F216 an image that another deletes and restores meanwhile is not called published', async () => {
    const id = await app.image(dataset, await jpeg());
    const { pool } = app.services.db;
    // As if it were deleted just before, and restored just after: the update finds nothing, and then it is there.
    await pool.query(
      `CREATE FUNCTION keep_image() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
    );
    await pool.query(
      `CREATE TRIGGER keep_image BEFORE UPDATE ON image FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION keep_image()`,
    );
    const deleted = await app.post('/api/Images/delete', { imageId: id });
    await pool.query('DROP FUNCTION keep_image() CASCADE');
    expect(deleted).toMatchObject(failure(400, 'IMAGE_NOT_FOUND'));
  });

  test('F210 F212 F235 D-63 numbered pages', async () => {
    const paged = await app.dataset(workspace);
    for (let n = 0; n < 5; n++) await app.image(paged, await jpeg(40, 30), `${n}.jpg`);
    const page = (size: string, number: string) =>
      app.get(`/api/Datasets/images?datasetid=${paged}&PAGESIZE=${size}&pageNumber=${number}`);
    const first = await app.data(page('2', '1'));
    expect({ ...first, data: first.data.length }).toEqual({
      pagesCount: 3,
      pageNumber: 1,
      totalCount: 5,
      data: 2,
    });
    const all = [
      ...first.data,
      ...(await app.data(page('2', '2'))).data,
      ...(await app.data(page('2', '3'))).data,
    ];
    expect(new Set(all.map((image: { id: string }) => image.id)).size).toBe(5);
    expect(await app.data(page('2', '4'))).toEqual({
      pagesCount: 3,
      pageNumber: 4,
      totalCount: 5,
      data: [],
    });
    expect((await app.data(page('1000', '1'))).data.length).toBe(5);
    for (const size of ['0', '1001', '-1', 'x', '', '1.5', '1e2'])
      expect(await page(size, '1')).toMatchObject(failure(400, 'INVALID_PAGE_SIZE'));
    for (const number of ['0', '-1', 'x', ''])
      expect(await page('1', number)).toMatchObject(failure(400, 'INVALID_PAGE_NUMBER'));
    expect(await page('0', '0')).toMatchObject(
      failure(400, 'INVALID_PAGE_SIZE', 'INVALID_PAGE_NUMBER'),
    );
    expect(await app.get('/api/Datasets/images')).toMatchObject(
      failure(400, 'INVALID_ID', 'INVALID_PAGE_SIZE', 'INVALID_PAGE_NUMBER'),
    );
  });

  test('F210 keyset pages in GraphQL, forward and back, with the total', async () => {
    const paged = await app.dataset(workspace);
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) {
      app.setTime(Date.UTC(2026, 10, 20, 12, 0, n));
      ids.push(await app.image(paged, await jpeg(40, 30)));
    }
    const query =
      'query ($uuid: UUID!, $first: Int, $after: Cursor, $last: Int, $before: Cursor) { dataset(uuid: $uuid) { images(first: $first, after: $after, last: $last, before: $before) { totalCount nodes { uuid } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }';
    const page = async (args: object) =>
      (await app.gql(query, { uuid: paged, ...args }, app.tokens.owner)).data.dataset.images;
    const first = await page({ first: 2 });
    const second = await page({ first: 2, after: first.pageInfo.endCursor });
    const third = await page({ first: 2, after: second.pageInfo.endCursor });
    expect(
      [first, second, third].flatMap(({ nodes }) =>
        nodes.map(({ uuid }: { uuid: string }) => uuid),
      ),
    ).toEqual(ids);
    expect(
      [first, second, third].map(({ pageInfo }) => [
        pageInfo.hasPreviousPage,
        pageInfo.hasNextPage,
      ]),
    ).toEqual([
      [false, true],
      [true, true],
      [true, false],
    ]);
    expect(first.totalCount).toBe(5);
    const back = await page({ last: 2, before: third.pageInfo.startCursor });
    expect(back.nodes).toEqual(second.nodes);
    for (const [args, before, after] of [
      [{ first: 0 }, false, true],
      [{ last: 0 }, true, false],
      [{ first: 0, after: first.pageInfo.endCursor }, true, true],
      [{ last: 0, before: third.pageInfo.startCursor }, true, true],
    ] as const)
      expect(await page(args)).toEqual({
        totalCount: 5,
        nodes: [],
        pageInfo: {
          hasPreviousPage: before,
          hasNextPage: after,
          startCursor: null,
          endCursor: null,
        },
      });
    app.setTime(Date.UTC(2026, 10, 20, 12));
  });

  test('addImage of GraphQL takes a small file and tells of a duplicate', async () => {
    const bytes = await jpeg(50, 40);
    const { data } = await app.gql(
      'query ($uuid: UUID!) { dataset(uuid: $uuid) { id } }',
      { uuid: dataset },
      app.tokens.owner,
    );
    const add = async (): Promise<any> => {
      const form = new FormData();
      const query =
        'mutation ($input: AddImageInput!) { addImage(input: $input) { __typename ... on AddImagePayload { image { uuid width sha256 byteSize encrypted dataset { uuid } } imageEdge { cursor } duplicateOf { uuid } clientMutationId } ... on UserError { code message } } }';
      form.set(
        'operations',
        JSON.stringify({
          query,
          variables: {
            input: {
              datasetId: data.dataset.id,
              fileName: 'g.jpg',
              image: null,
              clientMutationId: 'c',
            },
          },
        }),
      );
      form.set('map', JSON.stringify({ 0: ['variables.input.image'] }));
      form.set('0', new Blob([Uint8Array.from(bytes)]), 'g.jpg');
      return (await app.rest('/graphql', app.tokens.owner, { method: 'POST', body: form })).json
        .data.addImage;
    };
    const first = await add();
    expect(first).toMatchObject({
      __typename: 'AddImagePayload',
      image: {
        width: 50,
        encrypted: false,
        byteSize: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        dataset: { uuid: dataset },
      },
      duplicateOf: null,
      clientMutationId: 'c',
    });
    expect((await add()).duplicateOf.uuid).toBe(first.image.uuid);
  });

  test('addImage of GraphQL takes requests of at most 1 MiB; larger files go to REST, which streams', async () => {
    const form = new FormData();
    form.set(
      'operations',
      JSON.stringify({
        query: 'mutation ($input: AddImageInput!) { addImage(input: $input) { __typename } }',
        variables: { input: { datasetId: 'x', fileName: 'g.jpg', image: null } },
      }),
    );
    form.set('map', JSON.stringify({ 0: ['variables.input.image'] }));
    form.set('0', new Blob([new Uint8Array(1_048_577)]), 'g.jpg');
    const answer = await app.rest('/graphql', app.tokens.owner, { method: 'POST', body: form });
    expect([answer.status, answer.json.errors[0].extensions.legacyCode]).toEqual([413, 'E903']);
    expect(
      await app.upload({ DatasetId: dataset, FileName: 'g.jpg', Image: Buffer.alloc(1_048_577) }),
    ).toMatchObject(failure(400, 'UNSUPPORTED_IMAGE_TYPE'));
  });

  test('downloadUrl and thumbnailUrl are absolute, as the client reached the gateway', async () => {
    const id = await app.image(dataset, await jpeg(60, 50));
    const { data } = await app.gql(
      'query ($id: UUID!) { image(uuid: $id) { downloadUrl thumbnailUrl } }',
      { id },
      app.tokens.owner,
    );
    expect(data.image).toEqual({
      downloadUrl: `${app.url}/api/Images/download?imageId=${id}`,
      thumbnailUrl: `${app.url}/api/Images/downloadThumb?imageId=${id}`,
    });
  });
});
