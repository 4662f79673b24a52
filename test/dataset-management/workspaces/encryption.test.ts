import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as e2ee from '../../../src/sdk/e2ee.ts';
import { drivers, failure, startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { findBrowser, runInBrowser } from '../../support/browser.ts';
import { jpeg } from '../../support/images.ts';

const KEY = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';

describe.each(drivers)('encrypted workspaces on %s', (driver) => {
  let app: DatasetApp;
  let workspace: string;
  let dataset: string;
  let key: e2ee.WorkspaceKey;
  beforeAll(async () => {
    app = await startDatasetApp(driver);
    key = await e2ee.importKey(KEY);
    workspace = await app.workspace('Encrypted');
    dataset = await app.dataset(workspace);
    await app.data(
      app.post('/api/Workspaces/enableEncryption', {
        workspaceId: workspace,
        checksum: await e2ee.checksum(key, workspace),
      }),
    );
  });
  afterAll(() => app.close());

  const gateway = (): e2ee.Gateway => ({ baseUrl: app.url, token: app.tokens.owner });
  const verify = async (
    workspaceId: string,
    checksum: string,
    token = app.tokens.owner,
  ): Promise<any> => {
    const found = await app.gql(
      'query ($uuid: UUID!) { workspace(uuid: $uuid) { id encrypted } }',
      { uuid: workspaceId },
      app.tokens.owner,
    );
    const query =
      'mutation ($input: VerifyWorkspaceKeyInput!) { verifyWorkspaceKey(input: $input) { __typename ... on VerifyWorkspaceKeyPayload { result } ... on UserError { code } } }';
    return app.gql(query, { input: { workspaceId: found.data.workspace.id, checksum } }, token);
  };

  test('F228 F231 the workspace says that it is encrypted', async () => {
    expect(
      (await app.data(app.get('/api/Workspaces'))).find(
        ({ id }: { id: string }) => id === workspace,
      ),
    ).toEqual({ id: workspace, name: 'Encrypted', encrypted: true });
  });

  test('F231 the same checksum again is no change; another is refused', async () => {
    await app.data(
      app.post('/api/Workspaces/enableEncryption', {
        workspaceId: workspace,
        checksum: await e2ee.checksum(key, workspace),
      }),
    );
    expect(
      await app.post('/api/Workspaces/enableEncryption', {
        workspaceId: workspace,
        checksum: 'x'.repeat(44),
      }),
    ).toMatchObject(failure(400, 'ALREADY_ENCRYPTED'));
  });

  test('F231 F235 the checksum has exactly 44 characters, in GraphQL also canonical base64', async () => {
    const other = await app.workspace();
    for (const checksum of ['', 'x'.repeat(43), 'x'.repeat(45), '😀'.repeat(22)])
      expect(
        await app.post('/api/Workspaces/enableEncryption', { workspaceId: other, checksum }),
      ).toMatchObject(failure(400, 'INVALID_CHECKSUM'));
    expect((await verify(other, 'x'.repeat(44))).errors?.[0]?.extensions.code).toBeTruthy();
    await app.data(
      app.post('/api/Workspaces/enableEncryption', {
        workspaceId: other,
        checksum: '!'.repeat(44),
      }),
    );
  });

  test('F231 a workspace with an image stays plain', async () => {
    const plain = await app.workspace();
    const id = await app.image(await app.dataset(plain), await jpeg());
    expect(
      await app.post('/api/Workspaces/enableEncryption', {
        workspaceId: plain,
        checksum: 'x'.repeat(44),
      }),
    ).toMatchObject(failure(400, 'WORKSPACE_NOT_EMPTY'));
    await app.data(app.post('/api/Images/delete', { imageId: id }));
    await app.data(
      app.post('/api/Workspaces/enableEncryption', {
        workspaceId: plain,
        checksum: 'x'.repeat(44),
      }),
    );
  });

  test('F231 only owners may, and foreign workspaces do not exist', async () => {
    const mine = await app.workspace();
    await app.member(mine, 'other', 'MANAGER');
    expect(
      await app.post(
        '/api/Workspaces/enableEncryption',
        { workspaceId: mine, checksum: 'x'.repeat(44) },
        app.tokens.other,
      ),
    ).toMatchObject(failure(400, 'FORBIDDEN'));
    expect(
      await app.post(
        '/api/Workspaces/enableEncryption',
        { workspaceId: mine, checksum: 'x'.repeat(44) },
        app.tokens.stranger,
      ),
    ).toMatchObject(failure(400, 'WORKSPACE_NOT_FOUND'));
  });

  test('F214 F232 the client library uploads and gets back what it uploaded; the storage holds ciphertext only', async () => {
    const photo = await jpeg(640, 480);
    const small = await jpeg(270, 200);
    const opened = await e2ee.openWorkspace(gateway(), workspace, key);
    const id = await opened.upload({
      datasetId: dataset,
      fileName: 'secret.jpg',
      image: photo,
      thumbnail: Uint8Array.from(small),
      width: 640,
      height: 480,
    });
    expect(photo.equals(await opened.download(id))).toBe(true);
    expect(small.equals(await opened.downloadThumbnail(id))).toBe(true);
    const raw = await app.download(`/api/Images/download?imageId=${id}`);
    expect(raw.headers.get('content-type')).toBe('application/octet-stream');
    expect(raw.headers.get('x-content-encrypted')).toBe('aes-256-cbc; iv=prefix');
    expect(raw.bytes.includes(photo.subarray(100, 132))).toBe(false);
    const page = await app.data(
      app.get(`/api/Datasets/images?DatasetId=${dataset}&PageSize=1000&PageNumber=1`),
    );
    expect(page.data.find((image: { id: string }) => image.id === id)).toMatchObject({
      width: 640,
      height: 480,
      name: 'secret.jpg',
    });
  });

  test('F234 the key is checked before anything is uploaded, and never leaves the client', async () => {
    await expect(e2ee.openWorkspace(gateway(), workspace, await e2ee.makeKey())).rejects.toThrow(
      e2ee.WrongKeyError,
    );
    const dump = await app.services.db.rows('SELECT w::text FROM workspace w', []);
    expect(JSON.stringify(dump)).not.toContain(KEY);
    const { text } = await app
      .gql('{ __type(name: "Workspace") { fields { name } } }', {}, app.tokens.owner)
      .then((answer) => ({ text: JSON.stringify(answer) }));
    expect(text).not.toContain('hecksum');
  });

  test('F234 a member is told MATCH or MISMATCH; others that there is no workspace', async () => {
    expect(
      (await verify(workspace, await e2ee.checksum(key, workspace))).data.verifyWorkspaceKey,
    ).toEqual({ __typename: 'VerifyWorkspaceKeyPayload', result: 'MATCH' });
    expect(
      (await verify(workspace, await e2ee.checksum(await e2ee.makeKey(), workspace))).data
        .verifyWorkspaceKey.result,
    ).toBe('MISMATCH');
    expect(
      (await verify(workspace, await e2ee.checksum(key, workspace), app.tokens.other)).data
        .verifyWorkspaceKey,
    ).toEqual({ __typename: 'NotFoundError', code: 'NOT_FOUND' });
  });

  test('F234 whoever has the key may check it as often as needed', async () => {
    for (let n = 0; n < 15; n++) {
      const { data } = await verify(workspace, await e2ee.checksum(key, workspace));
      expect(data.verifyWorkspaceKey.result).toBe('MATCH');
    }
    // A workspace of a client that reads the document the other way: the first of two checks fails each time.
    const other = await app.workspace();
    await app.data(
      app.post('/api/Workspaces/enableEncryption', {
        workspaceId: other,
        checksum: await e2ee.hyphenatedChecksum(key, other),
      }),
    );
    for (let n = 0; n < 12; n++) await e2ee.openWorkspace(gateway(), other, key);
  });

  test('F234 the client library says of a plain workspace that no key belongs to it', async () => {
    const plain = await app.workspace();
    await expect(e2ee.openWorkspace(gateway(), plain, key)).rejects.toMatchObject({
      name: 'WrongKeyError',
      message: 'the workspace is not encrypted: no key belongs to it',
    });
  });

  test('F234 guessing is slowed down, for each workspace by itself', async () => {
    const other = await app.workspace();
    await app.data(
      app.post('/api/Workspaces/enableEncryption', {
        workspaceId: other,
        checksum: await e2ee.checksum(key, other),
      }),
    );
    const outcomes = [];
    for (let n = 0; n < 12; n++)
      outcomes.push(
        (await verify(workspace, await e2ee.checksum(key, randomUUID()))).errors?.[0]?.extensions
          .code,
      );
    expect(outcomes.at(-1)).toBe('RATE_LIMITED');
    await e2ee.openWorkspace(gateway(), other, key);
  });

  describe('F214 refuses', () => {
    const cipher = (size = 320): Buffer => randomBytes(size);
    const whole = (): Record<string, string | Buffer> => ({
      DatasetId: dataset,
      FileName: 'a.jpg',
      Image: cipher(),
      Thumbnail: cipher(),
      Width: '30',
      Height: '20',
    });
    const sameVector = randomBytes(16);
    test.each<[string, () => Record<string, string | Buffer | undefined>, string]>([
      ['no thumbnail', () => ({ Thumbnail: undefined }), 'THUMBNAIL_REQUIRED'],
      ['no width', () => ({ Width: undefined }), 'DIMENSIONS_REQUIRED'],
      ['a height of 0', () => ({ Height: '0' }), 'DIMENSIONS_REQUIRED'],
      ['a width beyond 100000', () => ({ Width: '100001' }), 'DIMENSIONS_REQUIRED'],
      ['a width that is no number', () => ({ Width: '1e3' }), 'DIMENSIONS_REQUIRED'],
      [
        'a length that is not whole blocks',
        () => ({ Image: cipher(321) }),
        'NOT_ENCRYPTED_PAYLOAD',
      ],
      ['a vector alone', () => ({ Image: cipher(16) }), 'NOT_ENCRYPTED_PAYLOAD'],
      [
        'a zero vector',
        () => ({ Image: Buffer.concat([Buffer.alloc(16), cipher(16)]) }),
        'NOT_ENCRYPTED_PAYLOAD',
      ],
      [
        'equal vectors',
        () => ({
          Image: Buffer.concat([sameVector, cipher(32)]),
          Thumbnail: Buffer.concat([sameVector, cipher(16)]),
        }),
        'NOT_ENCRYPTED_PAYLOAD',
      ],
      ['no image', () => ({ Image: undefined }), 'IMAGE_REQUIRED'],
      ['the number of another key', () => ({ KeyNumber: '2' }), 'WRONG_KEY_NUMBER'],
      ['a number of a key that is none', () => ({ KeyNumber: 'first' }), 'WRONG_KEY_NUMBER'],
      ['a number beyond all keys', () => ({ KeyNumber: '9999999999' }), 'WRONG_KEY_NUMBER'],
    ])('%s', async (_name, change, code) => {
      const fields = Object.entries({ ...whole(), ...change() }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as const],
      );
      expect(await app.upload(Object.fromEntries(fields))).toMatchObject(failure(400, code));
    });

    test('an empty image, even without the checks of what is encrypted', async () => {
      const { images: checks } = app.services.config;
      Object.assign(checks, { checkEncrypted: false });
      try {
        expect(await app.upload({ ...whole(), Image: Buffer.alloc(0) })).toMatchObject(
          failure(400, 'NOT_ENCRYPTED_PAYLOAD'),
        );
      } finally {
        Object.assign(checks, { checkEncrypted: true });
      }
    });

    test('the id of another image; the same upload twice at once is one image', async () => {
      const ImageId = randomUUID();
      const upload = { ...whole(), ImageId, Path: `${ImageId}.jpg` };
      for (const { json } of await Promise.all([1, 2, 3].map(() => app.upload(upload))))
        expect(json).toMatchObject({ data: ImageId, errorMessage: null });
      const errorMessage = 'ImageId is that of another image';
      expect(await app.upload({ ...whole(), ImageId })).toMatchObject({
        status: 400,
        json: { errorCodes: ['VALIDATION_ERROR'], errorMessage },
      });
    });

    test('the same upload again is its image, by the id that the client has chosen', async () => {
      const upload = { ...whole(), ImageId: randomUUID() };
      const [first, again] = [await app.upload(upload), await app.upload(upload)];
      expect([first.json.data, again.json.data]).toEqual([upload.ImageId, upload.ImageId]);
      expect(first.headers.get('idempotent-replayed')).toBe(null);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect((await app.upload({ ...upload, Path: 'elsewhere.jpg' })).json).toMatchObject({
        errorMessage: 'ImageId is that of another image',
      });
      await app.data(app.post('/api/Images/delete', { imageId: upload.ImageId }));
      expect((await app.upload(upload)).status).toBe(400);
    });

    test('plain images of any type, padded to whole blocks', async () => {
      const photo = await jpeg();
      const padded = Buffer.concat([photo, Buffer.alloc(16 - (photo.length % 16))]);
      expect(await app.upload({ ...whole(), Image: padded })).toMatchObject(
        failure(400, 'NOT_ENCRYPTED_PAYLOAD'),
      );
      expect(await app.upload({ ...whole(), Thumbnail: padded })).toMatchObject(
        failure(400, 'NOT_ENCRYPTED_PAYLOAD'),
      );
    });

    test('nothing whole, and F217 F218 gives it back as it is stored', async () => {
      const [Image, Thumbnail] = [cipher(4_000), cipher()];
      const id = await app.data(app.upload({ ...whole(), Image, Thumbnail }));
      expect((await app.download(`/api/Images/download?imageId=${id}`)).bytes).toEqual(Image);
      expect((await app.download(`/api/Images/downloadThumb?imageId=${id}`)).bytes).toEqual(
        Thumbnail,
      );
    });
  });

  test.skipIf(
    driver !== 'filesystem' ||
      (findBrowser() === undefined && process.env.REQUIRE_BROWSER === undefined),
  )(
    'F214 a browser encrypts and uploads through the example page',
    async () => {
      const { readFileSync } = await import('node:fs');
      expect(
        readFileSync(new URL('../../../docs/e2ee-example.html', import.meta.url), 'utf8'),
      ).toContain('openWorkspace');
      const own = await startDatasetApp(driver);
      try {
        const [space, photo] = [await own.workspace(), await jpeg(300, 150)];
        const set = await own.dataset(space);
        const script = `
        const e2ee = await import('/sdk/e2ee.js');
        const key = await e2ee.importKey('${KEY}');
        const gateway = { baseUrl: location.origin + '/gateway', token: '${own.tokens.owner}' };
        await e2ee.enableEncryption(gateway, '${space}', key);
        const opened = await e2ee.openWorkspace(gateway, '${space}', key);
        const id = await opened.upload({ datasetId: '${set}', fileName: 'b.jpg', image: await (await fetch('/photo')).blob() });
        await report({ id, length: (await opened.download(id)).length });`;
        const found: any = await runInBrowser(
          findBrowser() ?? 'chromium',
          script,
          { photo },
          own.url,
        );
        expect(found).toEqual({ id: expect.stringMatching(/-/), length: photo.length });
        const { data } = await own.gql(
          'query ($uuid: UUID!) { image(uuid: $uuid) { width height encrypted } }',
          { uuid: found.id },
          own.tokens.owner,
        );
        expect(data.image).toEqual({ width: 300, height: 150, encrypted: true });
      } finally {
        await own.close();
      }
    },
    60_000,
  );
});
