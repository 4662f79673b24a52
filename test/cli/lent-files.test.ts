import { spawn, type ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { importRecords } from '../../src/import/import-records.ts';
import { asLines } from '../../src/import/read-lines.ts';
import type { Gateway } from '../../src/server/start.ts';
import { startBeside } from '../support/folder-gateway.ts';
import { cliProgram, trivium } from '../support/trivium.ts';

/** Files that commands and a gateway exchange in the data folder: nothing of them stays, however the command ends. */
const GENEROUS = 240_000;
const WAIT = { timeout: GENEROUS, interval: 5 };
const folder = mkdtempSync(join(tmpdir(), 'trivium-lent-'));
const data = join(folder, 'data');
const env = { DATA_DIR: data };
/** A folder of another file system, to which no file can be renamed. */
const elsewhere = ['/dev/shm', '/var/tmp', '/tmp'].find(
  (path) => statSync(path, { throwIfNoEntry: false })?.dev !== statSync(folder).dev,
);
let gateway: Gateway;

const left = (): string[] => readdirSync(data).filter((name) => name.startsWith('command-'));
const start = (...args: string[]): ChildProcess =>
  spawn(process.execPath, [cliProgram, ...args], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: '', ...env },
  });

/** Calls back when a command asks the gateway for a job, before it begins. */
function onJob(name: string, act: () => void): () => void {
  const channel = 'http.server.request.start';
  const listen = (message: unknown): void => {
    if ((message as { request: IncomingMessage }).request.url?.endsWith(`/${name}`)) act();
  };
  subscribe(channel, listen);
  return () => unsubscribe(channel, listen);
}

beforeAll(async () => {
  const { gateway: started, services } = await startBeside(env);
  gateway = started;
  const records = [
    { record: 'domain', name: 'd' },
    { record: 'user', domain: 'd', login: 'ana' },
  ];
  await importRecords(services, asLines(records), { name: 'test' });
}, GENEROUS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test(
  'of an export that can not be brought to its place nothing stays in the data folder',
  async () => {
    const undo = onJob('exportDomain', () => mkdirSync(join(folder, 'taken.tar')));
    expect(
      await trivium(['domain', 'export', '--domain', 'd', 'taken.tar'], { cwd: folder, env }),
    ).toMatchObject({ status: 2, stderr: expect.stringContaining('EISDIR') });
    undo();
    expect(left()).toEqual([]);
  },
  GENEROUS,
);

test.skipIf(elsewhere === undefined)(
  'an export for which its place has no space says so, and leaves nothing here or there',
  async () => {
    const target = mkdtempSync(join(elsewhere ?? '', 'trivium-full-'));
    try {
      const file = join(target, 'd.tar');
      const run = ['domain', 'export', '--domain', 'd', file];
      expect(await trivium(run, { cwd: folder, env, limit: 2 })).toEqual({
        status: 1,
        stdout: '',
        stderr: `no space for ${file}: make some, and run the same again\n`,
      });
      expect([left(), readdirSync(target)]).toEqual([[], []]);
      expect(await trivium(run, { cwd: folder, env })).toMatchObject({ status: 0 });
      expect([left(), readdirSync(target)]).toEqual([[], ['d.tar']]);
    } finally {
      rmSync(target, { recursive: true, force: true });
    }
  },
  GENEROUS,
);

test(
  'a file for whose copy the data folder has no space says so, and leaves nothing there',
  async () => {
    writeFileSync(join(folder, 'long.ndjson'), ' '.repeat(4_000));
    for (const command of ['import', 'domain import'])
      expect(
        await trivium([...command.split(' '), 'long.ndjson'], { cwd: folder, env, limit: 2 }),
      ).toEqual({
        status: 1,
        stdout: '',
        stderr: `no space in ${data} for the copy that the running gateway reads: make some, and run the same again\n`,
      });
    expect(left()).toEqual([]);
  },
  GENEROUS,
);

test(
  'an export that is stopped says that its domain stays locked, and what to do',
  async () => {
    const args = ['domain', 'export', '--domain', 'd', '--lock', 'd.tar'];
    const stopped = start(...args);
    const said = text(stopped.stderr ?? Readable.from([]));
    const undo = onJob('exportDomain', () => stopped.kill('SIGTERM'));
    expect(await once(stopped, 'exit')).toEqual([null, 'SIGTERM']);
    undo();
    expect(await said).toBe('d stays locked: run the same again, or `domain unlock`\n');
    for (const next of [args, ['domain', 'unlock', '--domain', 'd']])
      expect(await trivium(next, { cwd: folder, env })).toMatchObject({ status: 0 });
    expect(left()).toEqual([]);
  },
  GENEROUS,
);

test(
  'a gateway gives up loading the demo data when the command is gone',
  async () => {
    const stopped = start('demo', '--force');
    // At once, before the first records are written: a signal that it handles could come when all of them are.
    const undo = onJob('loadDemo', () => stopped.kill('SIGKILL'));
    expect(await once(stopped, 'exit')).toEqual([null, 'SIGKILL']);
    undo();
    // Imports take turns: this one comes when the demo is loaded or given up.
    writeFileSync(join(folder, 'next.ndjson'), '{"record":"domain","name":"next"}\n');
    expect(await trivium(['import', 'next.ndjson'], { cwd: folder, env })).toMatchObject({
      status: 0,
    });
    const { stdout } = await trivium(['domain', 'list'], { cwd: folder, env });
    expect([stdout.includes('next'), stdout.includes('demo')]).toEqual([true, false]);
  },
  GENEROUS,
);

test(
  'of an import that is ended nothing stays: the command removes it, or the gateway if it was killed',
  async () => {
    const lent = async (): Promise<ChildProcess> => {
      const command = start('import', '-');
      command.stdin?.write('{"record":"domain",');
      await vi.waitFor(() => expect(left()).toHaveLength(1), WAIT);
      return command;
    };
    const stopped = await lent();
    stopped.kill('SIGINT');
    expect(await once(stopped, 'exit')).toEqual([null, 'SIGINT']);
    expect(left()).toEqual([]);

    writeFileSync(join(folder, 'work.ndjson'), '{"record":"domain","name":"d"}\n');
    const asking = start('import', 'work.ndjson');
    const undo = onJob('importFile', () => asking.kill('SIGKILL'));
    expect(await once(asking, 'exit')).toEqual([null, 'SIGKILL']);
    undo();
    await vi.waitFor(() => expect(left()).toEqual([]), WAIT);

    const killed = await lent();
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    expect(left()).toHaveLength(1);
    await gateway.close();
    expect(left()).toEqual([]);
  },
  GENEROUS,
);
