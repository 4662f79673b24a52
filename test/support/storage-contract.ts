import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  BlobMissingError,
  BlobTooLargeError,
  type BlobStore,
} from '../../src/core/context/storage.ts';

export interface OpenedStore {
  store: BlobStore;
  close(): Promise<void>;
}

/** What every storage driver must do. */
export function describeStorage(name: string, openStore: () => Promise<OpenedStore>): void {
  describe(`storage driver ${name}`, () => {
    let opened: OpenedStore;
    let store: BlobStore;
    beforeAll(async () => {
      opened = await openStore();
      store = opened.store;
    });
    afterAll(() => opened.close());

    const put = async (key: string, bytes: Buffer): Promise<void> =>
      store.put(await store.stage(pieces(bytes)), key);
    const read = (key: string, range?: { start: number; end: number }): Promise<Buffer> =>
      buffer(Readable.from(store.get(key, range)));

    test('counts, hashes and sums what it stages', async () => {
      const bytes = randomBytes(300_000);
      const staged = await store.stage(pieces(bytes));
      expect(staged).toMatchObject({
        size: 300_000,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        crc32: crc32(bytes),
      });
      await staged.discard();
      expect(existsSync(staged.path)).toBe(false);
      await staged.discard();
    });

    test.each([0, 1, 65_536, 700_001, 17 * 1024 * 1024 + 3])(
      'gives back the %i bytes that were put',
      async (size) => {
        const bytes = randomBytes(size);
        const staged = await store.stage(pieces(bytes));
        await store.put(staged, `w1/size-${size}`);
        expect(existsSync(staged.path)).toBe(false);
        expect((await read(`w1/size-${size}`)).equals(bytes)).toBe(true);
        expect(await store.stat(`w1/size-${size}`)).toMatchObject({ key: `w1/size-${size}`, size });
      },
    );

    test('reads ranges, both ends inclusive', async () => {
      await put('w1/ranged', Buffer.from('0123456789'));
      expect(String(await read('w1/ranged', { start: 0, end: 0 }))).toBe('0');
      expect(String(await read('w1/ranged', { start: 3, end: 6 }))).toBe('3456');
      expect(String(await read('w1/ranged', { start: 8, end: 9 }))).toBe('89');
    });

    test('reads into memory from a position on, as far as both go', async () => {
      await put('w1/into', Buffer.from('0123456789'));
      const target = Buffer.from('..........');
      expect(await store.readInto('w1/into', target.subarray(2, 5), 4)).toBe(3);
      expect(String(target)).toBe('..456.....');
      expect(await store.readInto('w1/into', target, 7)).toBe(3);
      expect(String(target)).toBe('78956.....');
      await expect(store.readInto('w1/nothing', target, 0)).rejects.toThrow(BlobMissingError);
    });

    test('stops at the size limit and leaves nothing', async () => {
      const before = await keys(store);
      await expect(
        store.stage(pieces(randomBytes(200_000)), { maxBytes: 199_999 }),
      ).rejects.toThrow(BlobTooLargeError);
      const staged = await store.stage(pieces(randomBytes(200_000)), { maxBytes: 200_000 });
      await staged.discard();
      expect(await keys(store)).toEqual(before);
    });

    test('leaves nothing when the sender breaks off or the request is aborted', async () => {
      const before = await keys(store);
      const broken = async function* (): AsyncGenerator<Uint8Array> {
        yield randomBytes(1000);
        await Promise.resolve();
        throw new Error('connection lost');
      };
      await expect(store.stage(broken())).rejects.toThrow('connection lost');
      const abort = new AbortController();
      const aborted = async function* (): AsyncGenerator<Uint8Array> {
        yield randomBytes(1000);
        abort.abort();
        await Promise.resolve();
        yield randomBytes(1000);
      };
      await expect(store.stage(aborted(), { signal: abort.signal })).rejects.toThrow('aborted');
      expect(await keys(store)).toEqual(before);
    });

    test('says that an object is missing', async () => {
      expect(await store.stat('w1/nothing')).toBeUndefined();
      await expect(read('w1/nothing')).rejects.toThrow(BlobMissingError);
      await expect(read('w1/nothing', { start: 0, end: 3 })).rejects.toThrow(BlobMissingError);
      await store.delete('w1/nothing');
    });

    test('deletes', async () => {
      await put('w2/a', Buffer.from('a'));
      await put('w2/b', Buffer.from('b'));
      await store.delete('w2/a');
      expect(await store.stat('w2/a')).toBeUndefined();
      expect(String(await read('w2/b'))).toBe('b');
    });

    test('lists every object with its size', async () => {
      await put('w3/deep/er/x', Buffer.from('xyz'));
      await put('w3/y', Buffer.from(''));
      const found = (await list(store)).filter((blob) => blob.key.startsWith('w3/'));
      expect(found.map(({ key, size }) => `${key} ${size}`).sort()).toEqual([
        'w3/deep/er/x 3',
        'w3/y 0',
      ]);
      for (const blob of found)
        expect(Math.abs(Date.now() - blob.modifiedAt.getTime())).toBeLessThan(60_000);
    });

    test('lets a reader stop half-way', async () => {
      await put('w4/long', randomBytes(3_000_000));
      for await (const chunk of store.get('w4/long')) {
        expect(chunk.byteLength).toBeGreaterThan(0);
        break;
      }
      await store.delete('w4/long');
    });

    test.each([
      '../up',
      'a/../../b',
      '/etc/passwd',
      'a//b',
      '',
      'A',
      'a b',
      '.hidden',
      'a/.b',
      'a\0b',
    ])('refuses the key %j', async (key) => {
      const staged = await store.stage(pieces(Buffer.from('x')));
      await expect((async () => store.put(staged, key))()).rejects.toThrow('not a storage key');
      await staged.discard();
      expect(() => store.get(key)).toThrow('not a storage key');
      await expect((async () => store.readInto(key, Buffer.alloc(1), 0))()).rejects.toThrow(
        'not a storage key',
      );
    });

    test('stores concurrently', async () => {
      const bodies = Array.from({ length: 20 }, () => randomBytes(50_000));
      await Promise.all(bodies.map((bytes, index) => put(`w5/${index}`, bytes)));
      const stored = await Promise.all(bodies.map((_, index) => read(`w5/${index}`)));
      expect(stored.every((bytes, index) => bodies[index]?.equals(bytes))).toBe(true);
    });
  });
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100_000) {
    await Promise.resolve();
    yield bytes.subarray(at, at + 100_000);
  }
}

async function list(store: BlobStore): Promise<{ key: string; size: number; modifiedAt: Date }[]> {
  const found = [];
  for await (const blob of store.list()) found.push(blob);
  return found;
}

async function keys(store: BlobStore): Promise<string[]> {
  return (await list(store)).map((blob) => blob.key).sort();
}
