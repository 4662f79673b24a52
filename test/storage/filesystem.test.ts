import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
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
  const store = openFilesystemStore(await newFolder());
  return { store, close: () => store.close() };
});

test('names and removes at once what a killed process left in the staging folder, and nothing that is still written', async () => {
  const folder = await newFolder();
  const killed = `
    const { openFilesystemStore } = await import(${JSON.stringify(new URL('../../src/storage/filesystem.ts', import.meta.url).href)});
    const store = openFilesystemStore(${JSON.stringify(folder)});
    await store.stage((async function* () { yield Buffer.from('half'); })());
    process.kill(process.pid, 'SIGKILL');`;
  spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', killed]);
  const store = openFilesystemStore(folder);
  const own = await store.stage(once('mine'));
  const names = await readdir(join(folder, 'staging'));
  expect(names.length).toBe(2);
  const left = await store.leftovers();
  expect(left).toEqual([
    { key: names.find((name) => !own.path.endsWith(name)), size: 4, modifiedAt: expect.any(Date) },
  ]);
  expect(await readdir(join(folder, 'staging'))).toEqual(names);
  expect(await store.tidy()).toBe(1);
  expect(await readdir(join(folder, 'staging'))).toEqual([basename(own.path)]);
  await own.discard();
});

test('a file whose process can not be asked for is left when nobody has touched it for long', async () => {
  const folder = await newFolder();
  const store = openFilesystemStore(folder);
  await mkdir(join(folder, 'staging'), { recursive: true });
  const elsewhere = (n: number): string =>
    `0123456789abcdef.1.1.${n}e5f1c9a-0000-4000-8000-000000000000`;
  const minutes = (count: number): Date => new Date(Date.now() - count * 60_000);
  for (const [name, age] of [
    ['unnamed-old', 25 * 60],
    ['unnamed-young', 23 * 60],
    [elsewhere(1), 16],
    [elsewhere(2), 5],
  ] as const) {
    await writeFile(join(folder, 'staging', name), 'x');
    await utimes(join(folder, 'staging', name), minutes(age), minutes(age));
  }
  await store.tidy();
  expect((await readdir(join(folder, 'staging'))).sort()).toEqual([elsewhere(2), 'unnamed-young']);
});

test('leaves the staging folder empty after puts and failures', async () => {
  const folder = await newFolder();
  const store = openFilesystemStore(folder);
  await store.put(await store.stage(once('kept')), 'w/kept');
  await expect(store.stage(once('too long'), { maxBytes: 3 })).rejects.toThrow();
  expect(await readdir(join(folder, 'staging'))).toEqual([]);
});

async function* once(text: string): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield Buffer.from(text);
}
