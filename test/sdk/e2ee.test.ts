import { execFileSync } from 'node:child_process';
import { createCipheriv, createHash, randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as e2ee from '../../src/sdk/e2ee.ts';
import { encryptUnder } from '../../src/sdk/crypto/cipher.ts';

const KEY = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
const WORKSPACE = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const HYPHENLESS = 'zGt6+Kn+qwZt83zFkcdBf/k8w74GG7EZWNtZDJ/3mYE=';
const HYPHENATED = 'jt4NmLr/fMtc9+n13pQIKrlVU8IJQJ/ohY8DFnpekF0=';
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const openssl = (mode: '-e' | '-d', key: string, iv: string, input: Uint8Array): Buffer =>
  execFileSync('openssl', ['enc', mode, '-aes-256-cbc', '-K', key, '-iv', iv], { input });

describe('F233 checksum (D-69)', () => {
  test('gives the vector, however the id is written', async () => {
    const key = await e2ee.importKey(KEY);
    for (const id of [WORKSPACE, WORKSPACE.toUpperCase(), WORKSPACE.replaceAll('-', '')]) {
      expect(await e2ee.checksum(key, id)).toBe(HYPHENLESS);
      expect(await e2ee.hyphenatedChecksum(key, id)).toBe(HYPHENATED);
    }
  });

  test('agrees with the openssl command', async () => {
    const key = randomBytes(32);
    const id = randomUUID();
    const zero = Buffer.alloc(16);
    const digest = createHash('sha256')
      .update(zero)
      .update(
        openssl(
          '-e',
          key.toString('hex'),
          zero.toString('hex'),
          Buffer.from(id.replaceAll('-', '')),
        ),
      )
      .digest('base64');
    expect(await e2ee.checksum(await e2ee.importKey(key), id)).toBe(digest);
    expect(digest).toHaveLength(44);
  });

  test('refuses what is not a workspace id', async () => {
    const key = await e2ee.importKey(KEY);
    expect(() => e2ee.checksum(key, 'not an id')).toThrow('UUID');
  });
});

describe('F232 AES-256-CBC with the vector in front', () => {
  test('gives the vector of D-69', async () => {
    const encrypted = await encryptUnder(
      await e2ee.importKey(KEY),
      Buffer.from('hello, encrypted image'),
      Uint8Array.from(Buffer.from('f0e0d0c0b0a090807060504030201000', 'hex')),
    );
    expect(hex(encrypted)).toBe(
      'f0e0d0c0b0a090807060504030201000c00d99a6392dc39172ddb8613bf8727078f091c0bd2b57769c233e9d3b888478',
    );
    expect(Buffer.from(await e2ee.decrypt(await e2ee.importKey(KEY), encrypted)).toString()).toBe(
      'hello, encrypted image',
    );
  });

  test.each([0, 1, 15, 16, 17, 100_000])(
    'is undone by the openssl command and undoes it, %i bytes',
    async (size) => {
      const raw = randomBytes(32);
      const key = await e2ee.importKey(raw);
      const plain = randomBytes(size);
      const ours = await e2ee.encrypt(key, plain);
      expect(
        openssl('-d', raw.toString('hex'), hex(ours.subarray(0, 16)), ours.subarray(16)).equals(
          plain,
        ),
      ).toBe(true);
      const iv = randomBytes(16);
      const theirs = Buffer.concat([
        iv,
        openssl('-e', raw.toString('hex'), iv.toString('hex'), plain),
      ]);
      expect(plain.equals(await e2ee.decrypt(key, theirs))).toBe(true);
    },
  );

  test('takes blobs', async () => {
    const key = await e2ee.makeKey();
    const encrypted = new Blob([await e2ee.encrypt(key, new Blob(['text']))]);
    expect(Buffer.from(await e2ee.decrypt(key, encrypted)).toString()).toBe('text');
  });

  test('uses a fresh vector each time', async () => {
    const key = await e2ee.makeKey();
    const vectors = new Set(
      await Promise.all(
        Array.from({ length: 50 }, async () =>
          hex((await e2ee.encrypt(key, Buffer.from('x'))).subarray(0, 16)),
        ),
      ),
    );
    expect(vectors.size).toBe(50);
  });

  test.each([0, 16, 31, 33])('refuses %i bytes', async (size) => {
    await expect(e2ee.decrypt(await e2ee.makeKey(), new Uint8Array(size))).rejects.toThrow(
      'not encrypted data',
    );
  });
});

describe('keys', () => {
  test('come back as they were kept: bytes, hexadecimal, base64', async () => {
    const raw = Buffer.from(await e2ee.exportKey(await e2ee.makeKey()));
    for (const kept of [
      raw,
      raw.toString('hex'),
      raw.toString('hex').toUpperCase(),
      raw.toString('base64'),
    ]) {
      expect(raw.equals(await e2ee.exportKey(await e2ee.importKey(kept)))).toBe(true);
    }
  });

  test.each(['', 'abc', 'f'.repeat(62), `${'A'.repeat(42)}==`])('refuses %j', (text) => {
    expect(() => e2ee.importKey(text)).toThrow(TypeError);
  });
});

describe('F234 assertKey', () => {
  test.each([HYPHENLESS, HYPHENATED])('accepts a workspace that holds %s', async (stored) => {
    await e2ee.assertKey(await e2ee.importKey(KEY), WORKSPACE, (sum) =>
      Promise.resolve(sum === stored ? 'MATCH' : 'MISMATCH'),
    );
  });

  test('refuses another key', async () => {
    const verify = (sum: string): Promise<'MATCH' | 'MISMATCH'> =>
      Promise.resolve(sum === HYPHENLESS ? 'MATCH' : 'MISMATCH');
    await expect(e2ee.assertKey(await e2ee.makeKey(), WORKSPACE, verify)).rejects.toThrow(
      e2ee.WrongKeyError,
    );
  });
});

describe('openWorkspace', () => {
  const gatewayThat = (
    answer: 'MATCH' | 'MISMATCH',
    seen: { url: string; body: unknown }[],
  ): e2ee.Gateway => ({
    baseUrl: 'http://gateway/base/',
    token: 'token',
    fetch(input, init) {
      const url = input instanceof Request ? input.url : String(input);
      seen.push({ url, body: init?.body });
      if (
        url.endsWith('/graphql') &&
        typeof init?.body === 'string' &&
        init.body.includes('WorkspaceId')
      )
        return Promise.resolve(Response.json({ data: { workspace: { id: 'V29ya3NwYWNl' } } }));
      if (url.endsWith('/graphql'))
        return Promise.resolve(
          Response.json({
            data: {
              verifyWorkspaceKey: { __typename: 'VerifyWorkspaceKeyPayload', result: answer },
            },
          }),
        );
      if (url.endsWith('/api/Images/addImage'))
        return Promise.resolve(
          Response.json({ data: 'image-1', errorMessage: null, errorCodes: [], isSuccess: true }),
        );
      return Promise.resolve(
        Response.json(
          {
            data: null,
            errorMessage: 'Image not found',
            errorCodes: ['IMAGE_NOT_FOUND'],
            isSuccess: false,
          },
          { status: 400 },
        ),
      );
    },
  });

  test('gives nothing to upload with before the gateway has confirmed the key', async () => {
    const seen: { url: string; body: unknown }[] = [];
    await expect(
      e2ee.openWorkspace(gatewayThat('MISMATCH', seen), WORKSPACE, await e2ee.makeKey()),
    ).rejects.toThrow(e2ee.WrongKeyError);
    expect(seen.every(({ url }) => url === 'http://gateway/base/graphql')).toBe(true);
  });

  test('uploads ciphertext that the key opens, under two different vectors, and never sends the key', async () => {
    const seen: { url: string; body: unknown }[] = [];
    const key = await e2ee.importKey(KEY);
    const workspace = await e2ee.openWorkspace(gatewayThat('MATCH', seen), WORKSPACE, key);
    const id = await workspace.upload({
      datasetId: 'd',
      fileName: 'a.jpg',
      image: Buffer.from('image'),
      thumbnail: Uint8Array.from([1, 2, 3]),
      width: 30,
      height: 20,
    });
    expect(id).toBe('image-1');
    const form = seen.at(-1)?.body;
    if (!(form instanceof FormData)) throw new Error('no form was sent');
    const sent = await Promise.all(
      ['Image', 'Thumbnail'].map(async (name) => {
        const part = form.get(name);
        return new Uint8Array(part instanceof Blob ? await part.arrayBuffer() : []);
      }),
    );
    expect(Buffer.from(await e2ee.decrypt(key, sent[0] ?? new Uint8Array())).toString()).toBe(
      'image',
    );
    expect([...(await e2ee.decrypt(key, sent[1] ?? new Uint8Array()))]).toEqual([1, 2, 3]);
    expect(hex(sent[0]?.subarray(0, 16) ?? new Uint8Array())).not.toBe(
      hex(sent[1]?.subarray(0, 16) ?? new Uint8Array()),
    );
    expect([
      form.get('FileName'),
      form.get('DatasetId'),
      form.get('Width'),
      form.get('Height'),
    ]).toEqual(['a.jpg', 'd', '30', '20']);
    for (const { body } of seen) expect(typeof body === 'string' ? body : '').not.toContain(KEY);
    for (const bytes of sent) expect(hex(bytes)).not.toContain(KEY);
  });

  test('asks for a thumbnail where there is no canvas', async () => {
    const workspace = await e2ee.openWorkspace(
      gatewayThat('MATCH', []),
      WORKSPACE,
      await e2ee.importKey(KEY),
    );
    await expect(
      workspace.upload({ datasetId: 'd', fileName: 'a.jpg', image: Buffer.from('image') }),
    ).rejects.toThrow('no canvas');
  });

  test('throws the codes of a failure', async () => {
    const workspace = await e2ee.openWorkspace(
      gatewayThat('MATCH', []),
      WORKSPACE,
      await e2ee.importKey(KEY),
    );
    await expect(workspace.download('x')).rejects.toMatchObject({ codes: ['IMAGE_NOT_FOUND'] });
  });
});

describe('manifest', () => {
  test('notices changed and exchanged ciphertext and other keys', async () => {
    const key = await e2ee.makeKey();
    const [first, second] = [
      await e2ee.encrypt(key, Buffer.from('first')),
      await e2ee.encrypt(key, Buffer.from('second')),
    ];
    let manifest: e2ee.Manifest = {
      format: 'trivium-manifest-1',
      workspaceId: WORKSPACE,
      images: {},
    };
    manifest = await e2ee.addToManifest(manifest, key, 'a', first);
    manifest = await e2ee.addToManifest(manifest, key, 'b', second);
    expect(await e2ee.isInManifest(manifest, key, 'a', first)).toBe(true);
    expect(await e2ee.isInManifest(manifest, key, 'b', first)).toBe(false);
    expect(await e2ee.isInManifest(manifest, key, 'c', first)).toBe(false);
    expect(await e2ee.isInManifest(manifest, await e2ee.makeKey(), 'a', first)).toBe(false);
    first[20] = (first[20] ?? 0) ^ 1;
    expect(await e2ee.isInManifest(manifest, key, 'a', first)).toBe(false);
  });
});

test('Node and WebCrypto agree on a large image', async () => {
  const raw = randomBytes(32);
  const iv = randomBytes(16);
  const plain = randomBytes(3_000_000);
  const cipher = createCipheriv('aes-256-cbc', raw, iv);
  const theirs = Buffer.concat([iv, cipher.update(plain), cipher.final()]);
  expect(
    theirs.equals(await encryptUnder(await e2ee.importKey(raw), plain, Uint8Array.from(iv))),
  ).toBe(true);
});
