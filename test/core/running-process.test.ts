import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { FolderInUseError, lockFolder } from '../../src/core/database/folder-lock.ts';
import { isAlive, ownPlace, processStart } from '../../src/core/running-process.ts';
import { openFilesystemStore } from '../../src/storage/filesystem.ts';

const onLinux = existsSync('/proc/self/stat');

it.runIf(onLinux)(
  'a folder is free once its process was killed, also where nobody asks how it ended',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trivium-zombie-'));
    // A shell would ask how its process ended. What it becomes, once that answers, does not know of the process.
    const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec cat'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line);
    try {
      parent.stdin.write('cat');
      await once(parent.stdout, 'data');
      writeFileSync(join(folder, 'lock'), `${pid} ${processStart(pid)} ${ownPlace()}\n`);
      expect(() => lockFolder(folder)).toThrow(FolderInUseError);
      process.kill(pid, 'SIGKILL');
      await vi.waitFor(
        () => expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z '),
        20_000,
      );
      lockFolder(folder)();
    } finally {
      parent.kill();
    }
    rmSync(folder, { recursive: true });
  },
);

it.runIf(onLinux)('the number of a process that is another user’s now is that of no other', () => {
  expect(isAlive({ pid: 1, startedAt: 'earlier' })).toBe(false);
  expect(isAlive({ pid: 1, startedAt: processStart(1) })).toBe(true);
});

it.runIf(onLinux)(
  'an upload keeps its file when it can’t be told whose it is, as too many files are open',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trivium-files-'));
    const store = openFilesystemStore(folder);
    const staged = await store.stage(Readable.from([Buffer.from('bytes')]));
    vi.spyOn(fs, 'readFileSync').mockImplementation(() => {
      throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    });
    syncBuiltinESMExports();
    try {
      expect(await store.tidy()).toBe(0);
    } finally {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    }
    await store.put(staged, 'key');
    expect(await store.stat('key')).toMatchObject({ size: 5 });
    rmSync(folder, { recursive: true });
  },
);
