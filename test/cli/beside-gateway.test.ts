import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageVersion } from '../../src/core/package-version.ts';
import { importRecords } from '../../src/import/import-records.ts';
import { asLines } from '../../src/import/read-lines.ts';
import type { Gateway } from '../../src/server/start.ts';
import { startBeside } from '../support/folder-gateway.ts';
import { trivium as runTrivium, type Ended } from '../support/trivium.ts';

const GENEROUS = 240_000;
const folder = mkdtempSync(join(tmpdir(), 'trivium-beside-'));
const data = join(folder, 'data');
// Longer than the address of a socket.
const deep = join(folder, 'x'.repeat(100), 'data');
let gateway: Gateway;

/** Starts a gateway on an embedded database in a folder, with one user. */
async function startOn(dataDir: string): Promise<Gateway> {
  const { gateway: started, services } = await startBeside({ DATA_DIR: dataDir });
  const records = [
    { record: 'domain', name: 'd' },
    { record: 'user', domain: 'd', login: 'ana' },
  ];
  await importRecords(services, asLines(records), { name: 'test' });
  return started;
}

const trivium = (args: string[], dataDir = data, input?: Buffer): Promise<Ended> =>
  runTrivium(args, { cwd: folder, env: { DATA_DIR: dataDir }, input });

/** Sends bytes to the socket as a program of the same user could. */
function send(path: string, body: string, method = 'POST'): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    request({ socketPath: join(data, 'control.sock'), path, method }, (response) => {
      text(response).then((answer) => resolve([response.statusCode ?? 0, answer]), reject);
    })
      .on('error', reject)
      .end(body);
  });
}

beforeAll(async () => {
  gateway = await startOn(data);
}, GENEROUS);
afterAll(async () => {
  await gateway.close();
  expect(existsSync(join(data, 'control.sock'))).toBe(false);
  rmSync(folder, { recursive: true, force: true });
}, GENEROUS);

describe('beside a running gateway on an embedded database', () => {
  test(
    'sessions and keys are made, listed and revoked, and the gateway knows them at once',
    async () => {
      const session = await trivium(['session', 'create', '--login', 'Ana']);
      expect(session).toMatchObject({ status: 0, stdout: expect.stringMatching(/^[\w-]{43}\n$/) });
      const answer = await fetch(`${gateway.url}/task/v1/feeds/list`, {
        headers: { 'x-service-csrf-token-x': session.stdout.trim() },
      });
      expect(answer.status).toBe(200);
      const key = await trivium(['api-key', 'create', '--customer', 'till', '--domain', 'd']);
      expect(key).toMatchObject({ status: 0, stdout: expect.stringMatching(/^ttk_/) });
      const prefix = key.stdout.slice(0, 12);
      expect((await trivium(['api-key', 'revoke', prefix])).stdout).toBe(
        `revoked ${prefix} of till\n`,
      );
      expect((await trivium(['api-key', 'list'])).stdout).toMatch(/^ttk_\w+ {2}till {2}revoked /);
      const scim = (await trivium(['scim-token', 'create', '--domain', 'd'])).stdout.trim();
      const users = (): Promise<Response> =>
        fetch(`${gateway.url}/scim/v2/Users`, { headers: { authorization: `Bearer ${scim}` } });
      expect((await users()).status).toBe(200);
      expect((await trivium(['scim-token', 'revoke', scim.slice(0, 12)])).stdout).toBe(
        `revoked ${scim.slice(0, 12)} of d\n`,
      );
      expect((await users()).status).toBe(401);
    },
    GENEROUS,
  );

  test(
    'storage and usage of REST are checked',
    async () => {
      expect(await trivium(['storage', 'check', '--content', '--sweep'])).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(/^0 rows, .*\nswept 0 rows/),
      });
      await fetch(`${gateway.url}/service/rtm/getCalendarData`, { method: 'POST' });
      expect((await trivium(['legacy-usage'])).stdout).toMatch(/^POST +\/service\/rtm\//m);
    },
    GENEROUS,
  );

  test(
    'files and standard input are imported as without it, and leave nothing in the data folder',
    async () => {
      const file = join(folder, 'work.ndjson');
      const users = Array.from({ length: 3000 }, (_, at) => ({
        record: 'user',
        domain: 'd',
        login: `user${at}`,
      }));
      writeFileSync(file, users.map((user) => `${JSON.stringify(user)}\n`).join(''));
      expect(await trivium(['import', 'work.ndjson'])).toEqual({
        status: 0,
        stdout: 'work.ndjson: 3000 records: 3000 new (user: 3000 new)\n',
        stderr: '',
      });
      expect(await trivium(['import', '-', '--json'], data, readFileSync(file))).toMatchObject({
        status: 0,
        stdout: `${JSON.stringify({
          file: 'stdin',
          ...{ new: 0, changed: 0, same: 3000 },
          kinds: { user: { new: 0, changed: 0, same: 3000 } },
        })}\n`,
      });
      writeFileSync(file, '{"record":"domain","name":"new"}\n{"record":"user"}\n');
      const refused = await trivium(['import', '--json', 'work.ndjson']);
      expect([refused.status, refused.stdout, JSON.parse(refused.stderr)]).toEqual([
        3,
        '',
        {
          error: {
            code: 'INPUT',
            exitCode: 3,
            message: expect.stringMatching(/^work\.ndjson:2: .*\n.*nothing was imported$/s),
            problems: expect.arrayContaining([expect.objectContaining({ line: 2 })]),
            total: expect.any(Number),
          },
        },
      ]);
      const { stdout } = await trivium(['user', 'list', '--domain', 'new']);
      expect(stdout).toBe('');
      expect(await trivium(['import', 'none.ndjson'])).toMatchObject({
        status: 2,
        stderr: 'none.ndjson: no such file or folder (ENOENT)\n',
      });
      expect(await trivium(['domain', 'import', 'none.tar'])).toMatchObject({
        status: 2,
        stderr: 'none.tar: no such file or folder (ENOENT)\n',
      });
      expect(readdirSync(data).filter((name) => name.startsWith('command-'))).toEqual([]);
    },
    GENEROUS,
  );

  test(
    'the database is at the last migration, and the demo data is loaded where it is told to',
    async () => {
      expect(await trivium(['migrate'])).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(/^The database is at migration \w+ \(\d+ applied\)\.\n$/),
      });
      expect(await trivium(['demo'])).toMatchObject({
        status: 2,
        stderr: 'the database is not empty: add --force to load the demo data all the same\n',
      });
    },
    GENEROUS,
  );

  test(
    'what the operation refuses is refused, and other commands still have to wait',
    async () => {
      expect(await trivium(['api-key', 'create', '--customer', 'new'])).toMatchObject({
        status: 2,
        stderr: 'no such customer: add --domain to make it\n',
      });
      expect(await trivium(['backup', 'backup.tar.gz'])).toMatchObject({
        status: 4,
        stderr: expect.stringContaining(`process ${process.pid}`),
      });
    },
    GENEROUS,
  );
});

describe('the socket', () => {
  test('is for its owner only', () => {
    expect(statSync(join(data, 'control.sock')).mode & 0o777).toBe(0o600);
    expect(statSync(data).mode & 0o777).toBe(0o700);
  });

  test('knows a few jobs of its own version, and nothing else', async () => {
    const version = packageVersion();
    const unknown = [404, '{"message":"unknown command"}'];
    expect(await send(`/${version}/toString`, '{}')).toEqual(unknown);
    for (const file of ['/etc/passwd', '../secret', '-'])
      expect(await send(`/${version}/importFile`, JSON.stringify({ file, name: file }))).toEqual([
        400,
        '{"message":"unknown arguments"}',
      ]);
    expect(await send('/0.0.0/createSession', '{"login":"ana"}')).toEqual(unknown);
    expect(await send(`/${version}/createSession`, '', 'GET')).toEqual(unknown);
    for (const body of ['', '{', 'null', '{"login":5}', '{"login":"ana","more":1}'])
      expect(await send(`/${version}/createSession`, body)).toEqual([
        400,
        '{"message":"unknown arguments"}',
      ]);
    expect(await send(`/${version}/createSession`, '{"login":"ana"}')).toEqual([
      200,
      expect.stringContaining('"token"'),
    ]);
  });

  test(
    'replaces the one of a killed gateway, and works however long the path of the folder is',
    async () => {
      const killed =
        "require('node:fs').mkdirSync(process.argv[1], { recursive: true });process.chdir(process.argv[1]);" +
        "require('node:net').createServer().listen('control.sock', () => process.kill(process.pid, 'SIGKILL'))";
      spawnSync(process.execPath, ['-e', killed, deep]);
      expect(existsSync(join(deep, 'control.sock'))).toBe(true);
      const other = await startOn(deep);
      try {
        const session = ['session', 'create', '--login', 'ana'];
        expect(await trivium(session, deep)).toMatchObject({ status: 0, stderr: '' });
      } finally {
        await other.close();
      }
      expect(existsSync(join(deep, 'control.sock'))).toBe(false);
    },
    GENEROUS,
  );
});
