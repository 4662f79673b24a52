import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  environment,
  folder,
  endProcesses,
  GENEROUS,
  refused,
  root,
  running,
  start,
  stop,
  type Exit,
} from '../support/gateway-process.ts';
import { gatewayProgram } from '../support/trivium.ts';

endProcesses();

/** A connection that has sent `text` and stays open. */
async function open(url: string, text: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  socket.write(text);
  return socket;
}

const answered = (socket: Socket): Promise<string> =>
  new Promise((resolve) => socket.once('data', (data) => resolve(String(data))));

it(
  'the first start tells where everything is, and its curl line works as it stands',
  async () => {
    const gateway = await start({}, 'scripts/start.mjs');
    const text = gateway.welcome.join('\n');
    expect(text).toContain(`${gateway.url}/graphql`);
    for (const login of ['associate', 'supervisor', 'leader', 'outsider'])
      expect(text).toContain(login);
    expect(text).toContain('Password: demo');
    const line = gateway.welcome.find((one) => one.startsWith('curl ')) ?? '';
    const { stdout } = spawnSync('sh', ['-c', line], { encoding: 'utf8', timeout: GENEROUS });
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({ status: 'OK', has_more: true });
    expect(answer.feed_details).toHaveLength(3);

    const second = refused({});
    expect([second.status, second.stdout]).toEqual([4, '']);
    expect(second.stderr).toContain(`process ${gateway.child.pid}.`);
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);

    // Loads the list of common passwords, as the compiled program does.
    const common = await fetch(`${gateway.url}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"login":"associate","password":"demo","new_password":"passwordpassword"}',
    });
    expect(await common.json()).toMatchObject({
      response: 'new_password: is one that many people use, or close to one',
    });
    expect(await stop(gateway, 'SIGTERM')).toEqual({ code: 0, signal: null });
    expect(existsSync(join(folder, 'data', 'lock'))).toBe(false);
  },
  GENEROUS,
);

it(
  'serve --json writes JSON to a terminal, too: the address, then the log',
  async () => {
    const child = spawn(
      'script',
      ['-qec', `${process.execPath} bin/trivium.js serve --json`, '/dev/null'],
      {
        cwd: root,
        env: environment({ DATA_DIR: join(folder, 'json'), DEMO: 'false', LOG_LEVEL: 'info' }),
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    running.add(child);
    let output = '';
    const lines = (): { msg: string; url?: string; pid?: number }[] =>
      output
        .split('\r\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    const said = async (msg: string): Promise<{ url?: string }> => {
      for (;;) {
        const found = lines().find((line) => line.msg === msg);
        if (found) return found;
        const [chunk] = await once(child.stdout, 'data');
        output += String(chunk);
      }
    };
    const { url } = await said('ready');
    await fetch(`${url}/session`, { method: 'POST' });
    await said('request');
    const pid = Number(readFileSync(join(folder, 'json', 'lock'), 'utf8').split(' ')[0]);
    process.kill(pid, 'SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    running.delete(child);
  },
  GENEROUS,
);

it(
  'after kill -9 the next start takes the lock over and finds the data, the last session included',
  async () => {
    const first = await start();
    const signedIn = await fetch(`${first.url}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"login":"leader","password":"demo"}',
    });
    const { token } = (await signedIn.json()) as { token: string };
    expect(await stop(first, 'SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    expect(readFileSync(join(folder, 'data', 'lock'), 'utf8')).toContain(String(first.child.pid));
    const second = await start();
    const list = await fetch(`${second.url}/task/v1/feeds/list?limit=1`, {
      headers: { 'x-service-csrf-token-x': token },
    });
    expect([list.status, ((await list.json()) as { status: string }).status]).toEqual([200, 'OK']);
    expect(await stop(second, 'SIGINT')).toEqual({ code: 0, signal: null });
  },
  GENEROUS,
);

it(
  'a gateway whose embedded database ends by itself says so and leaves with 1, and the next start finds the data',
  async () => {
    // SIGUSR2 ends the thread of the database, as running out of memory would: the last to be made, for the loader of TypeScript has one too.
    const program = `let last; process.on('worker', (worker) => (last = worker)); process.on('SIGUSR2', () => last.terminate())`;
    const gateway = await start({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}`,
    });
    let output = '';
    gateway.child.stderr?.on('data', (chunk: Buffer) => (output += String(chunk)));
    // It has left before all that it wrote has been read.
    const read = once(gateway.child, 'close');
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
    expect(await stop(gateway, 'SIGUSR2')).toEqual({ code: 1, signal: null });
    await read;
    expect(output).toContain('the embedded database ended');
    const next = await start();
    expect((await fetch(`${next.url}/readyz`)).status).toBe(200);
    expect(await stop(next, 'SIGTERM')).toEqual({ code: 0, signal: null });
  },
  GENEROUS,
);

it(
  'SIGHUP, as of a terminal that is closed, stops a gateway like SIGTERM',
  async () => {
    const gateway = await start({ DATA_DIR: join(folder, 'closed'), DEMO: 'false' });
    expect(await stop(gateway, 'SIGHUP')).toEqual({ code: 0, signal: null });
    expect(existsSync(join(folder, 'closed', 'lock'))).toBe(false);
  },
  GENEROUS,
);

it(
  'SIGTERM ends idle connections and unfinished requests within 10 s and leaves with 0',
  async () => {
    const gateway = await start({ DATA_DIR: join(folder, 'empty'), DEMO: 'false' });
    const idle = await open(
      gateway.url,
      'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n',
    );
    expect(await answered(idle)).toMatch(/^HTTP\/1\.1 200 /);
    await open(
      gateway.url,
      'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"query":',
    );
    await open(
      gateway.url,
      'POST /session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"login":',
    );
    await open(gateway.url, 'GET /healthz HTTP/1.1\r\nHo');
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    const begun = Date.now();
    expect(await stop(gateway, 'SIGTERM')).toEqual({ code: 0, signal: null });
    expect(Date.now() - begun).toBeLessThan(10_000);
    expect(existsSync(join(folder, 'empty', 'lock'))).toBe(false);
  },
  GENEROUS,
);

describe('a start that is told to stop', () => {
  const DATA_DIR = 'stopped';
  const lock = (): boolean => existsSync(join(folder, DATA_DIR, 'lock'));
  const startAndStop = async (when: () => boolean): Promise<{ exit: Exit; output: string }> => {
    const child = spawn(process.execPath, [gatewayProgram], {
      cwd: root,
      env: environment({ DATA_DIR: join(folder, DATA_DIR) }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += String(chunk)));
    const exited = new Promise<Exit>((resolve) =>
      child.once('exit', (code, signal) => resolve({ code, signal })),
    );
    while (!when() && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGTERM');
    return { exit: await exited, output };
  };

  it(
    'while it makes its database and loads the demo: leaves with 0, says nothing, and frees the folder',
    async () => {
      expect(await startAndStop(lock)).toEqual({ exit: { code: 0, signal: null }, output: '' });
      expect(lock()).toBe(false);
      const next = await start({ DATA_DIR: join(folder, DATA_DIR) });
      const signedIn = await fetch(`${next.url}/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"login":"leader","password":"demo"}',
      });
      expect(signedIn.status).toBe(200);
      expect(await stop(next, 'SIGTERM')).toEqual({ code: 0, signal: null });
    },
    GENEROUS,
  );
});

describe('refuses to start, in words and without a stack', () => {
  it(
    'in a faulty environment: every fault at once, exit code 2, no password',
    () => {
      const { status, stdout, stderr } = refused({
        PORT: 'abc',
        BASE_PATH: 'x',
        LOG_LEVEL: 'loud',
        DATABASE_URL: 'mysql://gateway:hunter2@db/work',
      });
      expect([status, stdout]).toEqual([2, '']);
      expect(
        stderr
          .trim()
          .split('\n')
          .map((line) => line.split(':')[0])
          .sort(),
      ).toEqual(['BASE_PATH', 'DATABASE_URL', 'LOG_LEVEL', 'PORT']);
      expect(stderr).not.toContain('hunter2');
    },
    GENEROUS,
  );

  it(
    'without its database: one line, exit code 1, no password',
    () => {
      const { status, stdout, stderr } = refused({
        DATABASE_URL: 'postgresql://gateway:hunter2@127.0.0.1:1/work',
      });
      expect([status, stdout, stderr.trim().split('\n').length]).toEqual([1, '', 1]);
      expect(stderr).not.toMatch(/hunter2|^\s+at /m);
    },
    GENEROUS,
  );
});
