import { spawnSync } from 'node:child_process';
import fs, { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { failure, startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';

const SIZE = 4_000_000;
const folder = mkdtempSync(join(tmpdir(), 'trivium-full-'));
/** Only root may mount, and not everywhere. */
const mounted =
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder], { stdio: 'ignore' })
    .status === 0;

let app: DatasetApp | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  await app?.close();
  app = undefined;
});

afterAll(() => {
  if (mounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true, force: true });
});

/** An upload that does not fit is refused as a whole; afterwards a smaller one goes through. */
async function fillUp(
  gateway: DatasetApp,
  large: Buffer,
  free: () => void,
  storage: string,
): Promise<void> {
  const dataset = await gateway.dataset(await gateway.workspace());
  const kept = await gateway.image(dataset, await jpeg());
  expect(
    await gateway.upload({ DatasetId: dataset, FileName: 'large.jpg', Image: large }),
  ).toMatchObject(failure(500, 'INTERNAL_ERROR'));
  free();
  expect(readdirSync(join(storage, 'staging'))).toEqual([]);
  expect((await gateway.objects()).length).toBe(2);
  expect((await gateway.services.db.rows('SELECT count(*) FROM image', []))[0]).toEqual(['1']);
  expect((await gateway.download(`/api/Images/download?imageId=${kept}`)).status).toBe(200);
  await gateway.image(dataset, await jpeg(50, 40));
}

describe('a full disk while an image is uploaded leaves nothing behind', () => {
  test('as the system reports it', async () => {
    app = await startDatasetApp('filesystem');
    const writev = fs.writev.bind(fs);
    let left = SIZE;
    const limited = (
      file: number,
      chunks: readonly NodeJS.ArrayBufferView[],
      done: (error: NodeJS.ErrnoException | null, bytesWritten: number) => void,
    ): void => {
      const size = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
      if (size > left)
        return done(
          Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
          0,
        );
      left -= size;
      writev(file, [...chunks], (error, bytesWritten) => done(error, bytesWritten ?? 0));
    };
    vi.spyOn(fs, 'writev').mockImplementation(limited as typeof fs.writev);
    await fillUp(app, Buffer.alloc(SIZE + 1, 1), () => (left = SIZE), join(app.folder, 'blobs'));
  });

  if (mounted) {
    test('for real, on a small file system', async () => {
      app = await startDatasetApp('filesystem', { env: { STORAGE: folder } });
      await fillUp(app, Buffer.alloc(SIZE + 1, 1), () => undefined, folder);
    });
  }
});
