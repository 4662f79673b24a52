import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openArchive } from '../../../src/sdk/e2ee.ts';
import { faultsIn, makeSigner, unzip } from '../../support/archives.ts';
import { startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg, picture } from '../../support/images.ts';
import { makeZip, type HandMade } from '../../support/zip.ts';

let app: DatasetApp;
let workspace: string;
let project: string;
let publicKey: string;
let zip: Buffer;
let files: HandMade[];

const exported = async (): Promise<Buffer> =>
  (await app.download(`/api/Projects/export?projectId=${project}&dataFilter=All`)).bytes;
const keyOf = async (uuid: string, token = app.tokens.owner): Promise<string | null> => {
  const query = 'query ($uuid: UUID!) { workspace(uuid: $uuid) { archivePublicKey } }';
  return (await app.gql(query, { uuid }, token)).data.workspace?.archivePublicKey ?? null;
};
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  workspace = await app.workspace();
  const dataset = await app.dataset(workspace);
  for (const width of [20, 30, 40])
    await app.image(dataset, await picture(width, 20).jpeg().toBuffer(), `${width}.jpg`);
  project = await app.project(workspace, dataset);
  publicKey = (await keyOf(workspace)) ?? '';
  zip = await exported();
  files = await unzip(zip);
});
afterAll(() => app.close());

test('an export ends with the list of its files and the signature, by a key that members can read', async () => {
  expect(files.slice(-3).map(({ name }) => name)).toEqual([
    'project.json',
    'manifest.json',
    'manifest.sig',
  ]);
  expect(Buffer.from(publicKey, 'base64')).toHaveLength(32);
  const archive = await openArchive(new Blob([Uint8Array.from(zip)]), { publicKey });
  expect(archive.signer).toBe(publicKey);
  const report = await archive.verify();
  expect(report).toEqual({
    files: files.length - 2,
    bytes: files.slice(0, -2).reduce((sum, { bytes }) => sum + bytes.length, 0),
    faults: [],
    unproven: 0,
  });
  expect(archive.manifest).toMatchObject({ workspaceId: workspace, projectId: project });
  expect(await keyOf(workspace, app.tokens.stranger)).toBeNull();
});

test('each workspace has a key of its own, and a restored database has the same', async () => {
  const other = await app.workspace('other');
  expect(await keyOf(other)).not.toBe(publicKey);
  expect(await keyOf(workspace)).toBe(publicKey);
  const rows = await app.services.db.rows('SELECT length(secret) FROM installation_secret', []);
  expect(rows).toEqual([['32']]);
});

test('the same export at the same instant has the same bytes', async () => {
  expect((await exported()).equals(zip)).toBe(true);
});

describe('an archive that was packed anew is right, but not', () => {
  const image = (index: number): string => files[index]?.name ?? '';
  const changed = (change: (files: HandMade[]) => HandMade[]): Promise<unknown> =>
    faultsIn(change(files.map((file) => ({ ...file }))), { publicKey });
  const with_ = (index: number, file: Partial<HandMade>): Promise<unknown> =>
    changed((list) => list.map((one, at) => (at === index ? { ...one, ...file } : one)));

  test('by another program, deflated, in another order, with folders', async () => {
    const repacked = [...files].reverse().map((file) => ({ ...file, deflate: true }));
    const folder = { name: 'images/', bytes: new Uint8Array() };
    expect(await faultsIn([folder, ...repacked], { publicKey })).toEqual([]);
  });

  test('with one bit of a file altered, whichever it is', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(files.length - 3),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async (index, place, bits) => {
          const bytes = Buffer.from(files[index]?.bytes ?? []);
          const at = place % bytes.length;
          bytes[at] = (bytes[at] ?? 0) ^ bits;
          expect(await with_(index, { bytes })).toEqual([['ALTERED', image(index)]]);
        },
      ),
      { numRuns: 20 },
    );
  });

  test('with two files swapped', async () => {
    const [a, b] = [files[0]?.bytes, files[1]?.bytes];
    const swapped = changed((list) =>
      list.map((file, at) => ({
        ...file,
        bytes: (at === 0 ? b : at === 1 ? a : file.bytes) ?? file.bytes,
      })),
    );
    expect(await swapped).toEqual([
      ['SWAPPED', image(0), image(1)],
      ['SWAPPED', image(1), image(0)],
    ]);
  });

  test('with a file left out, added, renamed, twice, cut or longer', async () => {
    expect(await changed((list) => list.slice(1))).toEqual([['LEFT_OUT', image(0)]]);
    const extra = { name: 'extra.txt', bytes: Buffer.from('x') };
    expect(await changed((list) => [...list, extra])).toEqual([['ADDED', 'extra.txt']]);
    expect(await with_(0, { name: 'renamed' })).toEqual([
      ['ADDED', 'renamed', image(0)],
      ['LEFT_OUT', image(0)],
    ]);
    expect(await changed((list) => [...list, ...list.slice(0, 1)])).toEqual([
      ['DUPLICATE', image(0)],
    ]);
    const bytes = files[0]?.bytes ?? new Uint8Array();
    expect(await with_(0, { bytes: bytes.subarray(0, 9) })).toEqual([['ALTERED', image(0)]]);
    expect(await with_(0, { claims: 5 })).toEqual([['ALTERED', image(0)]]);
    expect(await with_(0, { headerName: 'other' })).toEqual([['ALTERED', image(0)]]);
  });

  test('with another list, signature or signer', async () => {
    const list = files.length - 2;
    const manifest = text(files[list]?.bytes ?? new Uint8Array());
    const other = Buffer.from(manifest.replace(/"exportedAt": "2/, '"exportedAt": "1'));
    expect(await with_(list, { bytes: other })).toEqual([['BAD_SIGNATURE', 'manifest.json']]);
    expect(await changed((all) => all.slice(0, -1))).toEqual([['UNSIGNED', 'manifest.sig']]);
    expect(await with_(list + 1, { bytes: Buffer.from('{}') })).toEqual([
      ['UNSIGNED', 'manifest.sig'],
    ]);
    expect(await changed((all) => all.filter((_, at) => at !== list))).toEqual([
      ['UNSIGNED', 'manifest.json'],
    ]);
    // Somebody else signs a list of theirs.
    const signer = makeSigner();
    const theirs = signer.sign(other);
    const forged = files.map((file, at) => {
      if (at === list) return { ...file, bytes: other };
      return at === list + 1 ? { ...file, bytes: theirs } : file;
    });
    expect(await faultsIn(forged, { publicKey })).toEqual([['OTHER_SIGNER', 'manifest.sig']]);
    expect(await faultsIn(forged, {})).toEqual([]);
    const seen = await openArchive(new Blob([Uint8Array.from(makeZip(forged))]));
    expect(seen.signer).toBe(signer.publicKey);
  });

  test('cut off, or none at all', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('no archive'), zip.subarray(0, -30)])
      await expect(openArchive(new Blob([Uint8Array.from(bytes)]))).rejects.toThrow(
        /archive|damaged|outside/,
      );
  });

  test('with any bytes of the archive changed: never another error, never unnoticed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(zip.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (at, bits) => {
          const bytes = Uint8Array.from(zip);
          bytes[at] = (bytes[at] ?? 0) ^ bits;
          const outcome = await openArchive(new Blob([bytes]), { publicKey })
            .then((archive) => archive.verify())
            .then(({ faults }) => faults.length > 0)
            .catch((error: Error) => error.name === 'ArchiveError');
          // Times, permissions and checksums of ZIP say nothing of the files, nor does how a valid signature is written.
          const found = await unzip(Buffer.from(bytes)).catch(() => []);
          const same =
            found.length === files.length &&
            found.every(
              ({ name, bytes: now }, index) =>
                name === files[index]?.name &&
                (name === 'manifest.sig' || Buffer.from(now).equals(files[index]?.bytes ?? zip)),
            );
          expect(outcome || same).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });
});

test('an image that was uploaded later is in the next export, not in the list of this one', async () => {
  const dataset = await app.dataset(workspace, 'more');
  await app.data(
    app.post('/api/Projects/AssignDataset', { projectId: project, datasetId: dataset }),
  );
  await app.image(dataset, await jpeg());
  const next = await unzip(await exported());
  expect(next).toHaveLength(files.length + 1);
  expect(await faultsIn(next, { publicKey })).toEqual([]);
});
