import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, describe, expect, it, test } from 'vitest';
import { startApp } from '../support/app.ts';
import {
  endProcesses,
  folder,
  GENEROUS,
  refused,
  start,
  stop,
} from '../support/gateway-process.ts';
import { freePort } from '../support/free-port.ts';

endProcesses();

describe('a place to listen at that can not be had is told in one line, before anything is made', () => {
  const DATA_DIR = join(folder, 'unmade');
  // An address for documentation, which no machine has, and a name that never resolves.
  test.each([
    ['HOST', { HOST: '203.0.113.7' }],
    ['HOST', { HOST: 'nowhere.invalid' }],
    ['METRICS_HOST', { METRICS_PORT: '0', METRICS_HOST: '203.0.113.7' }],
  ])(
    '%s: %o',
    (name, env: Record<string, string>) => {
      expect(refused({ ...env, DATA_DIR })).toEqual(
        expect.objectContaining({
          status: 2,
          stdout: '',
          stderr: `${name}: expected an address of this machine, or a name that has one (is "${env[name] ?? ''}")\n`,
        }),
      );
      expect(existsSync(DATA_DIR)).toBe(false);
    },
    GENEROUS,
  );

  it(
    'a port that is taken, that of the metrics too',
    async () => {
      const holder = createServer().listen(0, '127.0.0.1');
      await once(holder, 'listening');
      const address = holder.address();
      const taken = String(typeof address === 'object' ? address?.port : '');
      const free = String(await freePort());
      for (const [name, env] of [
        ['PORT', { PORT: taken }],
        ['METRICS_PORT', { METRICS_PORT: taken }],
        ['METRICS_PORT', { PORT: free, METRICS_PORT: free }],
      ] as [string, Record<string, string>][]) {
        expect(refused({ ...env, DATA_DIR })).toMatchObject({
          status: 1,
          stdout: '',
          stderr: `error: port ${env[name] ?? ''} of 127.0.0.1 is taken: stop the process that listens there, or choose another ${name}\n`,
        });
        expect(existsSync(DATA_DIR)).toBe(false);
      }
      holder.close();
    },
    GENEROUS,
  );
});

it.runIf(process.platform === 'linux')(
  'a DATA_DIR that can not be made is told by its name',
  () => {
    expect(refused({ DATA_DIR: '/proc/nowhere/data' })).toMatchObject({
      status: 2,
      stdout: '',
      stderr:
        'DATA_DIR: expected a folder that this user can make and write to: ENOENT (is "/proc/nowhere/data")\n',
    });
  },
  GENEROUS,
);

it(
  'a storage that does not answer while the demo is to be loaded: nothing is, and the next start loads it',
  async () => {
    const DATA_DIR = join(folder, 'away');
    const failed = refused({
      DATA_DIR,
      STORAGE: `s3://images?region=local&endpoint=http://127.0.0.1:${await freePort()}`,
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      LOG_LEVEL: 'silent',
    });
    expect(failed).toMatchObject({ status: 1, stdout: '' });
    expect(failed.stderr).toMatch(/^error: the storage does not answer \(.*ECONNREFUSED.*$/m);
    const next = await start({ DATA_DIR });
    expect(next.welcome.join('\n')).toContain('Demo logins');
    expect(await stop(next, 'SIGTERM')).toEqual({ code: 0, signal: null });
  },
  GENEROUS,
);

const disk = join(folder, 'disk');
/** Only root may mount, and not everywhere. */
const mount = (size: string, how = 'rw', at = disk): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `${how},size=${size}`, 'tmpfs', at]).status === 0;
const readOnly = join(folder, 'read-only');
for (const path of [disk, readOnly]) mkdirSync(path, { recursive: true });
const mounted = mount('1m') && mount('1m', 'ro', readOnly);
afterAll(() => {
  if (mounted) for (const path of [disk, readOnly]) spawnSync('umount', ['-l', path]);
});

it.runIf(mounted)(
  'a full disk is told by its folder, and there is a start once there is room',
  async () => {
    const DATA_DIR = join(disk, 'data');
    // First the lock does not fit, then the rows of the demo don't; and what those left there does not open.
    fill(disk);
    for (const size of ['1m', '72m', '72m']) {
      mount(size, 'remount');
      expect(refused({ DATA_DIR, DEMO: 'true' })).toMatchObject({
        status: 1,
        stdout: '',
        stderr: `error: the disk of DATA_DIR (${DATA_DIR}) is full: make room, or choose another folder\n`,
      });
      rmSync(join(disk, 'filler'), { force: true });
    }
    mount('400m', 'remount');
    const gateway = await start({ DATA_DIR, DEMO: 'true' });
    expect(await stop(gateway, 'SIGTERM')).toEqual({ code: 0, signal: null });
  },
  GENEROUS,
);

describe.runIf(mounted)('a folder for images that can not be written to', () => {
  it.each(['', 's3://images?region=local&endpoint=http://127.0.0.1:1'])(
    'is a warning of the start, beside PostgreSQL, with STORAGE=%s',
    async (STORAGE) => {
      let lines = '';
      const to = new Writable({
        write(chunk: Buffer, _, done) {
          lines += String(chunk);
          done();
        },
      });
      const env = { DATA_DIR: join(readOnly, 'data'), STORAGE };
      const app = await startApp({ env, log: pino({ level: 'warn' }, to) });
      await app.close();
      expect(lines).toMatch(/"code":"EROFS".*"msg":"uploads will fail: /);
    },
  );

  it(
    'while the demo is to be loaded: nothing is, and the next start loads it',
    async () => {
      const DATA_DIR = join(folder, 'unwritten');
      const failed = refused({ DATA_DIR, STORAGE: join(readOnly, 'images'), LOG_LEVEL: 'silent' });
      expect(failed).toMatchObject({ status: 1, stdout: '' });
      expect(failed.stderr).toMatch(/^error: the storage can't be written to \(.*EROFS.*$/m);
      const next = await start({ DATA_DIR });
      expect(next.welcome.join('\n')).toContain('Demo logins');
      expect(await stop(next, 'SIGTERM')).toEqual({ code: 0, signal: null });
    },
    GENEROUS,
  );
});

/** Takes every byte of a file system. */
function fill(disk: string): void {
  try {
    writeFileSync(join(disk, 'filler'), Buffer.alloc(2 ** 21));
  } catch {
    // As was meant.
  }
}
