import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { lockFolder } from '../../src/core/database/folder-lock.ts';
import {
  cliProgram,
  trivium as triviumBeside,
  triviumSync,
  type Ended,
} from '../support/trivium.ts';

/** Where backups are written and restored to, and what is there after interruptions. Files stand in for a database. */
const GENEROUS = 240_000;
const folder = mkdtempSync(join(tmpdir(), 'trivium-places-'));
const data = join(folder, 'data');
const objects = join(data, 'blobs', 'objects');
const inFolder = (name: string): string => join(folder, name);

const trivium = (args: string[], env: Record<string, string> = {}): Ended =>
  triviumSync(args, { cwd: folder, env: { DATA_DIR: data, ...env } });

beforeAll(() => {
  mkdirSync(join(data, 'pg', 'base'), { recursive: true });
  writeFileSync(join(data, 'pg', 'PG_VERSION'), '17');
  writeFileSync(join(data, 'pg.complete'), '');
  mkdirSync(join(objects, 'ab'), { recursive: true });
  writeFileSync(join(objects, 'ab', 'image'), 'bytes');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test(
  'an interrupted backup leaves nothing, a killed one what the next replaces, and two do not write the same',
  async () => {
    const file = inFolder('night.tar.gz');
    const left = (): string[] => readdirSync(folder).filter((name) => name.startsWith('night'));
    const end = async (signal: NodeJS.Signals): Promise<unknown> => {
      const env = { ...process.env, DATABASE_URL: '', DATA_DIR: data };
      const child = spawn(process.execPath, [cliProgram, 'backup', file], { env, stdio: 'ignore' });
      const ended = once(child, 'exit');
      await vi.waitFor(() => expect(existsSync(join(`${file}.partial`, 'data'))).toBe(true), {
        timeout: GENEROUS,
        interval: 5,
      });
      child.kill(signal);
      return ((await ended) as unknown[])[1];
    };
    // Too many bytes for a backup to end before it is told to.
    const large = join(objects, 'large');
    writeFileSync(large, '');
    truncateSync(large, 2 ** 34);
    expect([await end('SIGINT'), left()]).toEqual(['SIGINT', []]);
    expect([await end('SIGKILL'), left()]).toEqual(['SIGKILL', ['night.tar.gz.partial']]);
    rmSync(large);
    const release = lockFolder(`${file}.partial`);
    expect(trivium(['backup', file])).toMatchObject({
      status: 2,
      stderr: `another process writes ${file}\n`,
    });
    release();
    expect(trivium(['backup', file])).toMatchObject({ status: 0, stderr: '' });
    expect(left()).toEqual(['night.tar.gz']);
  },
  GENEROUS,
);

test(
  'a backup is not written into what it reads, nor over what it did not make',
  () => {
    symlinkSync(join(data, 'pg'), inFolder('link'));
    writeFileSync(inFolder('old.tar.gz.partial'), '');
    for (const [file, reason] of [
      ['link/base/new.tar.gz', /is in a folder that is backed up/],
      ['data/blobs/objects/new.tar.gz', /is in a folder that is backed up/],
      ['none/new.tar.gz', /^none\/new\.tar\.gz: no such folder\n$/],
      ['old.tar.gz', /old\.tar\.gz\.partial exists, perhaps of an interrupted command/],
      ['', /^"" is no name of a file\n$/],
      ['new/', /^"new\/" is no name of a file\n$/],
      // Node's own way to make folders would never return.
      ['/proc/new.tar.gz', /^\/proc\/new\.tar\.gz\.partial: no such file or folder \(ENOENT\)\n$/],
    ] as const)
      expect([file, trivium(['backup', file])]).toEqual([
        file,
        { status: 2, stdout: '', stderr: expect.stringMatching(reason) },
      ]);
    expect(trivium(['backup', 'data/inside.tar.gz'])).toMatchObject({ status: 0, stderr: '' });
  },
  GENEROUS,
);

test(
  'a link among the images is named and refused, not left out of the backup',
  () => {
    const link = join(objects, 'cd');
    symlinkSync(join(objects, 'ab'), link);
    expect(trivium(['backup', 'links.tar.gz'])).toMatchObject({
      status: 2,
      stderr: `${link} is a link, or no file, and can't be backed up: put what it stands for in its place\n`,
    });
    expect(readdirSync(folder).filter((name) => name.startsWith('links'))).toEqual([]);
    rmSync(link);
  },
  GENEROUS,
);

test(
  'a backup that comes through a pipe is restored',
  async () => {
    expect(trivium(['backup', 'piped.tar.gz'])).toMatchObject({ status: 0, stderr: '' });
    const [pipe, DATA_DIR] = [inFolder('pipe'), inFolder('from-pipe')];
    execFileSync('mkfifo', [pipe]);
    const feeding = writeFile(pipe, readFileSync(inFolder('piped.tar.gz')));
    const restored = triviumBeside(['restore', pipe], { cwd: folder, env: { DATA_DIR } });
    expect(await restored).toMatchObject({ status: 0, stderr: '' });
    await feeding;
    expect(readFileSync(join(DATA_DIR, 'pg', 'PG_VERSION'), 'utf8')).toBe('17');
  },
  GENEROUS,
);

test(
  'what an interrupted restore has moved in is replaced by the next, also where STORAGE is DATA_DIR',
  () => {
    expect(trivium(['backup', 'whole.tar.gz'])).toMatchObject({ status: 0, stderr: '' });
    const DATA_DIR = inFolder('restored');
    const restore = (): Ended =>
      trivium(['restore', 'whole.tar.gz'], { DATA_DIR, STORAGE: DATA_DIR });
    mkdirSync(DATA_DIR);
    // So the database can't be moved in after the images.
    symlinkSync('nowhere', join(DATA_DIR, 'pg'));
    expect(restore()).toMatchObject({
      status: 2,
      stderr: `${join(DATA_DIR, 'pg')}: something is a file where a folder is needed; name another place (ENOTDIR)\n`,
    });
    expect(readdirSync(DATA_DIR)).toEqual([]);
    // As after a kill at the same place.
    mkdirSync(join(DATA_DIR, 'restoring'));
    writeFileSync(join(DATA_DIR, 'restoring', 'moving'), join(DATA_DIR, 'objects'));
    mkdirSync(join(DATA_DIR, 'objects'));
    writeFileSync(join(DATA_DIR, 'objects', 'moved'), '');
    expect(restore()).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(DATA_DIR).sort()).toEqual(['objects', 'pg', 'pg.complete']);
    expect(readdirSync(join(DATA_DIR, 'objects'))).toEqual(['ab']);
    expect(readFileSync(join(DATA_DIR, 'pg', 'PG_VERSION'), 'utf8')).toBe('17');
    expect(restore()).toMatchObject({ status: 2, stderr: expect.stringMatching(/pg exists/) });
  },
  GENEROUS,
);

test(
  'a stopped restore leaves nothing; on what a killed one leaves no empty database is made, and the next replaces it',
  async () => {
    const image = join(objects, 'ab', 'random');
    writeFileSync(image, randomBytes(2 ** 20));
    expect(trivium(['backup', 'cut.tar.gz'])).toMatchObject({ status: 0, stderr: '' });
    rmSync(image);
    const whole = readFileSync(inFolder('cut.tar.gz'));
    const [pipe, DATA_DIR] = [inFolder('cut-pipe'), inFolder('cut')];
    execFileSync('mkfifo', [pipe]);
    /** Restores from a pipe that never ends, and is sent a signal when the database has come. */
    const end = async (signal: NodeJS.Signals): Promise<unknown> => {
      const env = { ...process.env, DATABASE_URL: '', DATA_DIR };
      const args = [cliProgram, 'restore', pipe];
      const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
      const ended = once(child, 'exit');
      const feed = await open(pipe, 'w');
      // A killed reader is no fault of the test.
      const fed = feed.writeFile(whole.subarray(0, 2 ** 19)).catch(() => undefined);
      await vi.waitFor(
        () => expect(existsSync(join(DATA_DIR, 'restoring', 'pg', 'PG_VERSION'))).toBe(true),
        { timeout: GENEROUS, interval: 5 },
      );
      child.kill(signal);
      const [, by] = (await ended) as unknown[];
      await fed;
      await feed.close();
      return by;
    };
    const left = (): string[] =>
      readdirSync(DATA_DIR).filter((name) => name !== 'lock' && name !== 'blobs');
    expect([await end('SIGTERM'), left()]).toEqual(['SIGTERM', []]);
    expect([await end('SIGKILL'), left()]).toEqual(['SIGKILL', ['restoring']]);
    expect(trivium(['migrate'], { DATA_DIR })).toEqual({
      status: 2,
      stdout: '',
      stderr: `a restore into ${DATA_DIR} was interrupted; run \`trivium restore\` again, or remove ${join(DATA_DIR, 'restoring')} to start with an empty database\n`,
    });
    expect(left()).toEqual(['restoring']);
    expect(trivium(['restore', 'cut.tar.gz'], { DATA_DIR })).toMatchObject({ status: 0 });
    expect(left()).toEqual(['pg', 'pg.complete']);
  },
  GENEROUS,
);
