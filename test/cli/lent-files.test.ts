import { spawn, type ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { importRecords } from '../../src/import/import-records.ts';
import { asLines } from '../../src/import/read-lines.ts';
import type { Gateway } from '../../src/server/start.ts';
import { startBeside } from '../support/folder-gateway.ts';
import { cliProgram } from '../support/trivium.ts';

/** Files that commands and a gateway exchange in the data folder: nothing of them stays, however the command ends. */
const GENEROUS = 240_000;
const WAIT = { timeout: GENEROUS, interval: 5 };
const folder = mkdtempSync(join(tmpdir(), 'trivium-lent-'));
const data = join(folder, 'data');
const env = { DATA_DIR: data };
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
