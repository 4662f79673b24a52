import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { unpackArchive } from '../../src/commands/support/unpack-archive.ts';
import { findKeys } from '../../src/sdk/archive/find-keys.ts';
import * as e2ee from '../../src/sdk/e2ee.ts';
import { faultsIn, makeSigner, signFiles, type SignedFile } from '../support/archives.ts';
import { heapGrowth } from '../support/memory.ts';
import { makeZip } from '../support/zip.ts';

const workspaceId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const signer = makeSigner();
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** An encrypted image with its proof, as an export lists it. */
async function image(
  key: e2ee.WorkspaceKey,
  plain: string,
  number = 1,
  proven = true,
): Promise<SignedFile> {
  const bytes = await e2ee.encrypt(key, Buffer.from(plain));
  const thumbnail = sha256(Buffer.from(`thumbnail of ${plain}`));
  const place = { workspaceId, imageId: randomUUID(), thumbnailSha256: thumbnail };
  const proof = proven ? await e2ee.proveImage(key, { ...place, sha256: sha256(bytes) }) : null;
  const encrypted = { image: place.imageId, key: number, thumbnail, proof };
  return { name: `images/${plain}.jpg.enc`, bytes, encrypted };
}

describe('an encrypted archive', () => {
  let key: e2ee.WorkspaceKey;
  let newKey: e2ee.WorkspaceKey;
  let files: SignedFile[];
  beforeAll(async () => {
    [key, newKey] = [await e2ee.makeKey(), await e2ee.makeKey()];
    files = [await image(key, 'a'), await image(key, 'b'), await image(newKey, 'c', 2)];
  });
  const open = (list: SignedFile[], keys: e2ee.WorkspaceKey[]): Promise<e2ee.OpenedArchive> =>
    e2ee.openArchive(new Blob([Uint8Array.from(makeZip(signFiles(list, signer)))]), {
      publicKey: signer.publicKey,
      keys,
    });
  const contents = async (archive: e2ee.OpenedArchive): Promise<Record<string, string>> => {
    const found: Record<string, string> = {};
    for (const file of archive.files) {
      const pieces = [];
      for await (const piece of file.read()) pieces.push(piece);
      found[file.plainPath] = Buffer.concat(pieces).toString();
    }
    return found;
  };

  test('is decrypted under the keys that its images name, in whatever order they are given', async () => {
    const plain = { 'images/a.jpg': 'a', 'images/b.jpg': 'b', 'images/c.jpg': 'c' };
    expect(await contents(await open(files, [key, newKey]))).toEqual(plain);
    expect(await contents(await open(files, [newKey, key]))).toEqual(plain);
    expect((await (await open(files, [newKey, key])).verify()).faults).toEqual([]);
  });

  test('stays encrypted without keys, and can be verified all the same', async () => {
    const archive = await open(files, []);
    expect((await archive.verify()).faults).toEqual([]);
    expect(archive.files[0]?.plainPath).toBe('images/a.jpg.enc');
  });

  test('says which images none of the keys opens', async () => {
    const kinds = async (keys: e2ee.WorkspaceKey[]): Promise<unknown> =>
      (await (await open(files, keys)).verify()).faults.map(({ kind, path }) => [kind, path]);
    expect(await kinds([key])).toEqual([['NO_KEY', 'images/c.jpg.enc']]);
    expect(await kinds([await e2ee.makeKey()])).toHaveLength(3);
  });

  test('shows what a gateway exchanged or altered that signs what it likes', async () => {
    const [a, b] = [files[0], files[1]];
    if (!a || !b) throw new Error('there are no files');
    const swapped = [{ ...a, bytes: b.bytes }, { ...b, bytes: a.bytes }, ...files.slice(2)];
    // The key of number 1 is found by elimination: no proof of its images holds.
    const found = await (await open([...swapped, await image(key, 'd')], [key, newKey])).verify();
    expect(found.faults.map(({ kind, path }) => [kind, path])).toEqual([
      ['FORGED', 'images/a.jpg.enc'],
      ['FORGED', 'images/b.jpg.enc'],
    ]);
    const flipped = Uint8Array.from(a.bytes);
    flipped[3] = (flipped[3] ?? 0) ^ 1;
    const altered = await (await open([b, { ...a, bytes: flipped }], [key])).verify();
    expect(altered.faults).toMatchObject([{ kind: 'FORGED', path: a.name }]);
    expect((await (await open([b, { ...a, bytes: flipped }], [])).verify()).faults).toEqual([]);
  });

  test('counts images without a proof, and opens them', async () => {
    const archive = await open([await image(key, 'x', 1, false), ...files.slice(2)], [newKey, key]);
    expect(await archive.verify()).toMatchObject({ faults: [], unproven: 1 });
    expect(await contents(archive)).toEqual({ 'images/x.jpg': 'x', 'images/c.jpg': 'c' });
  });
});

test('faults of the signed list are found without keys', async () => {
  const files = [{ name: 'a', bytes: Buffer.from('a') }];
  expect(await faultsIn(signFiles(files, signer), { publicKey: signer.publicKey })).toEqual([]);
  expect(await faultsIn(files, {})).toEqual([['UNSIGNED', 'manifest.json']]);
});

test('verifying leaves what the lists alone show as it is, and says the same again', async () => {
  const bytes = Buffer.from('a');
  const zip = makeZip([...signFiles([{ name: 'a', bytes }], signer), { name: 'copy', bytes }]);
  const archive = await e2ee.openArchive(new Blob([Uint8Array.from(zip)]));
  const listed = { kind: 'ADDED', path: 'copy', message: 'it is not on the list' };
  const message = 'it is not on the list; it has the bytes of a';
  for (let again = 0; again < 2; again++) {
    expect((await archive.verify()).faults).toEqual([{ ...listed, message, contentOf: 'a' }]);
    expect(archive.faults).toEqual([listed]);
  }
});

test('nothing is read of a file that is far longer than any on the list, and nothing given out of one of another size', async () => {
  const files = ['a', 'b'.repeat(5_000_000)].map((text, at) => ({
    name: `${at}.txt`,
    bytes: Buffer.from(text),
  }));
  const signed = signFiles(files, signer);
  const given = async (bytes: Buffer): Promise<[number, string]> => {
    const changed = signed.map((file) =>
      file.name === '0.txt' ? { ...file, bytes, deflate: true } : file,
    );
    const archive = await e2ee.openArchive(new Blob([Uint8Array.from(makeZip(changed))]));
    let length = 0;
    try {
      for await (const piece of archive.files[0]?.read() ?? []) length += piece.length;
    } catch (error) {
      return [length, String(error)];
    }
    return [length, ''];
  };
  expect(await given(Buffer.alloc(5_000_001))).toEqual([0, expect.stringContaining('5000001')]);
  expect(await given(Buffer.alloc(5_000_000))).toEqual([0, expect.stringContaining('not those')]);
  expect(await given(Buffer.alloc(5_000_000, 'b'))).toEqual([0, expect.stringContaining('1.txt')]);
});

test('the list is gone through once, however many keys it names', async () => {
  let reads = 0;
  const files = Array.from({ length: 1000 }, (_, key) => ({
    path: `${key}.enc`,
    size: 32,
    sha256: '',
    get encrypted() {
      reads++;
      return { image: randomUUID(), key, thumbnail: '', proof: 'none' };
    },
  }));
  await findKeys(workspaceId, files, [await e2ee.makeKey()], () => Promise.resolve(''));
  expect(reads).toBeLessThan(10_000);
});

test('names that lead out of the folder are not unpacked', async () => {
  const names = ['../a', '/b', 'c/../../d', 'e\\..\\f', 'C:g', '.. /h', '. ./i', ' /j', 'k/'];
  const files = [...names.map((name) => ({ name, bytes: Buffer.from(name) }))];
  const good = { name: '..k/l..jpg', bytes: Buffer.from('good') };
  const zip = makeZip(signFiles([...files, good], signer));
  const archive = await e2ee.openArchive(new Blob([Uint8Array.from(zip)]));
  const folder = await mkdtemp(join(tmpdir(), 'trivium-unpacked-'));
  try {
    const faults = await unpackArchive(archive, join(folder, 'out'), () => undefined);
    // A name with a slash at its end is a folder, which no list has.
    expect(faults.map(({ path }) => path)).toEqual(names.filter((name) => name !== 'k/'));
    expect((await readdir(folder, { recursive: true })).sort()).toEqual([
      'out',
      join('out', '..k'),
      join('out', '..k', 'l..jpg'),
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('ciphertext of 300 MB is decrypted with flat memory', async () => {
  const key = await e2ee.makeKey();
  const piece = new Uint8Array(1024 * 1024);
  async function* long(): AsyncGenerator<Uint8Array> {
    for (let count = 0; count < 300; count++) {
      await Promise.resolve();
      yield piece;
    }
  }
  const grown = heapGrowth(100 * 1024 * 1024);
  let [bytes, most] = [0, 0];
  const read = async (): Promise<void> => {
    for await (const plain of e2ee.decryptPieces(key, long())) {
      bytes += plain.length;
      most = Math.max(most, grown());
    }
  };
  // Zeros are no ciphertext of this key: the padding at the end says so.
  await read().catch((error: unknown) => expect(error).toBeInstanceOf(e2ee.CipherError));
  expect(bytes).toBeGreaterThan(299 * 1024 * 1024);
  expect(most).toBeLessThan(100 * 1024 * 1024);
}, 60_000);
