import fs, { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { failure, startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';

/** A disk other than that of temporary folders, where there is one that everybody may write to: on Linux there is. */
const otherDisk = ['/dev/shm', '/var/tmp'].find(
  (path) => existsSync(path) && statSync(path).dev !== statSync(tmpdir()).dev,
);

let app: DatasetApp | undefined;
const folders: string[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  await app?.close();
  app = undefined;
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const upload = async (dataset: string): ReturnType<DatasetApp['upload']> => {
  if (!app) throw new Error('no gateway');
  return app.upload({ DatasetId: dataset, FileName: 'a.jpg', Image: await jpeg() });
};

it.runIf(otherDisk !== undefined)(
  'uploads and downloads are refused while the disk of the storage is not mounted, and nothing is kept in its place',
  async () => {
    const disk = mkdtempSync(join(otherDisk ?? '', 'trivium-disk-'));
    const place = mkdtempSync(join(tmpdir(), 'trivium-place-'));
    folders.push(disk, place);
    const mounted = join(place, 'mounted');
    symlinkSync(disk, mounted);
    app = await startDatasetApp('filesystem', { env: { STORAGE: join(mounted, 'blobs') } });
    const dataset = await app.dataset(await app.workspace());
    const { json } = await upload(dataset);
    const path = `/api/Images/download?imageId=${json.data}`;
    const { bytes } = await app.download(path);
    rmSync(mounted);
    mkdirSync(mounted);
    const refused = await upload(dataset);
    expect(refused).toMatchObject(failure(500, 'INTERNAL_ERROR'));
    expect(refused.headers.get('retry-after')).toBe('2');
    const download = await app.get(path, app.tokens.owner);
    expect(download).toMatchObject(failure(500, 'INTERNAL_ERROR'));
    expect(download.headers.get('retry-after')).toBe('2');
    expect((await fetch(`${app.url}/readyz`)).status).toBe(503);
    expect(await readdir(mounted)).toEqual([]);
    rmSync(mounted, { recursive: true });
    symlinkSync(disk, mounted);
    expect((await app.download(path)).bytes).toEqual(bytes);
    expect((await upload(dataset)).status).toBe(200);
  },
);

it.each(['EROFS', 'EACCES', 'EIO', 'ESTALE'])(
  'an upload is told to try again when the disk of the storage says %s',
  async (code) => {
    app = await startDatasetApp('filesystem');
    const dataset = await app.dataset(await app.workspace());
    const fault = Object.assign(new Error(code), { code });
    const writing = vi.spyOn(fs, 'writev');
    writing.mockImplementation((...args: unknown[]) =>
      (args.at(-1) as (error: Error) => void)(fault),
    );
    const refused = await upload(dataset);
    expect(refused).toMatchObject(failure(500, 'INTERNAL_ERROR'));
    expect(refused.headers.get('retry-after')).toBe('2');
    writing.mockRestore();
    expect((await upload(dataset)).status).toBe(200);
  },
);
