import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openFilesystemStore } from '../../src/storage/filesystem.ts';
import { describeStorage } from '../support/storage-contract.ts';

const folders: string[] = [];
const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'trivium-blobs-'));
  folders.push(folder);
  return folder;
};
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

describeStorage('filesystem', async () => {
  const store = await openFilesystemStore(await newFolder());
  return { store, close: () => store.close() };
});

test('removes what a killed process left in the staging folder a day ago, and nothing younger', async () => {
  const folder = await newFolder();
  await mkdir(join(folder, 'staging'));
  await writeFile(join(folder, 'staging', 'old'), 'x');
  await writeFile(join(folder, 'staging', 'young'), 'x');
  const yesterday = new Date(Date.now() - 25 * 3600 * 1000);
  await utimes(join(folder, 'staging', 'old'), yesterday, yesterday);
  await openFilesystemStore(folder);
  expect(await readdir(join(folder, 'staging'))).toEqual(['young']);
});

test('leaves the staging folder empty after puts and failures', async () => {
  const folder = await newFolder();
  const store = await openFilesystemStore(folder);
  await store.put(await store.stage(once('kept')), 'w/kept');
  await expect(store.stage(once('too long'), { maxBytes: 3 })).rejects.toThrow();
  expect(await readdir(join(folder, 'staging'))).toEqual([]);
});

async function* once(text: string): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield Buffer.from(text);
}
