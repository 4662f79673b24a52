import { spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, mkdtempSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import {
  endProcesses,
  environment,
  folder,
  GENEROUS,
  root,
  running,
} from '../support/gateway-process.ts';
import { cliProgram, gatewayProgram } from '../support/trivium.ts';

endProcesses();

const programs: [name: string, args: string[]][] = [
  ['the gateway', [gatewayProgram]],
  ['trivium serve', [cliProgram, 'serve']],
];

/** Tells the port by a message, as stdout can't; not that at which it listens for a moment before. */
const tellPort = `
import http from 'node:http';
import { Server } from 'node:net';
const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  this.once('listening', () => {
    const { port } = this.address();
    if (port && this instanceof http.Server) process.send?.(port);
  });
  return listen.apply(this, args);
};`;

interface Unheard {
  child: ChildProcess;
  url: string;
  exited: Promise<unknown[]>;
}

/** Starts a gateway whose stdout or stderr can't be written, and waits until it listens. */
async function startUnheard(
  args: string[],
  stdout: number,
  stderr: number | 'pipe',
): Promise<Unheard> {
  const stdio: StdioOptions = ['ignore', stdout, stderr, 'ipc'];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: environment({
      NODE_ENV: 'production',
      DATA_DIR: join(folder, 'unheard'),
      DEMO: 'false',
      LOG_LEVEL: 'debug',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tellPort)}`,
    }),
    stdio,
  });
  running.add(child);
  const exited = once(child, 'exit');
  void exited.then(() => running.delete(child));
  const told = await Promise.race([once(child, 'message'), exited]);
  return { child, url: `http://127.0.0.1:${String(told[0])}`, exited };
}

const fullDisk = it.runIf(existsSync('/dev/full'));
fullDisk.each(programs)(
  '%s serves and stops while the disk of its stdout is full, and says so once',
  async (_, args) => {
    const full = openSync('/dev/full', 'w');
    const { child, url, exited } = await startUnheard(args, full, 'pipe');
    closeSync(full);
    let words = '';
    child.stderr?.on('data', (chunk: Buffer) => (words += String(chunk)));
    const read = once(child, 'close');
    for (let times = 0; times < 3; times++)
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    await read;
    expect(words).toMatch(/^the log can't be written: ENOSPC: .*; lines are lost until it can\n$/);
  },
  GENEROUS,
);

fullDisk.each(programs)(
  '%s serves and stops while the disk of its stdout and its stderr is full',
  async (_, args) => {
    const full = openSync('/dev/full', 'w');
    const { child, url, exited } = await startUnheard(args, full, full);
    closeSync(full);
    for (let times = 0; times < 3; times++)
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  },
  GENEROUS,
);

const linux = it.runIf(process.platform === 'linux');

/** A pipe, and a way to open it for reading. */
function pipe(): { stdout: number; read: () => number } {
  const path = join(mkdtempSync(join(folder, 'pipe-')), 'stdout');
  spawnSync('mkfifo', [path]);
  const read = (): number => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const first = read();
  const stdout = openSync(path, 'w');
  closeSync(first);
  return { stdout, read };
}

linux.each(programs)(
  '%s goes on when nobody reads its stdout any more, and logs again once somebody does',
  async (_, args) => {
    const { stdout, read } = pipe();
    const { child, url, exited } = await startUnheard(args, stdout, 'pipe');
    closeSync(stdout);
    const said = once(child.stderr ?? child, 'data');
    for (let times = 0; times < 2; times++)
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(String((await said)[0])).toContain("the log can't be written: EPIPE");

    const reader = new Socket({ fd: read(), readable: true, writable: false });
    const lines = createInterface({ input: reader })[Symbol.asyncIterator]();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const logged: { msg: string }[] = [];
    while (logged.at(-1)?.msg !== 'lines of the log were lost')
      logged.push(JSON.parse((await lines.next()).value));
    expect(logged).toContainEqual(
      expect.objectContaining({ msg: 'request', operation: 'healthz', status: 200 }),
    );
    expect(logged.at(-1)).toMatchObject({ lines: expect.any(Number) });
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    reader.destroy();
  },
  GENEROUS,
);

linux(
  'a gateway stops while its stdout is full of lines that nobody reads',
  async () => {
    const { stdout, read } = pipe();
    const reader = read();
    const { child, url, exited } = await startUnheard([gatewayProgram], stdout, 'pipe');
    closeSync(stdout);
    const ask = (): Promise<unknown> => fetch(`${url}/healthz`).then((answer) => answer.text());
    // More than a pipe holds.
    for (let times = 0; times < 20; times++) await Promise.all(Array.from({ length: 25 }, ask));
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    closeSync(reader);
  },
  GENEROUS,
);
