import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockFolder } from '../../src/core/database/folder-lock.ts';
import { freePort } from '../support/free-port.ts';
import { startBeside } from '../support/folder-gateway.ts';
import { jpeg } from '../support/images.ts';
import { trivium as runTrivium, triviumSync, type Ended } from '../support/trivium.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const GENEROUS = 240_000;
const folder = mkdtempSync(join(tmpdir(), 'trivium-exit-'));
const held = join(folder, 'held');
const data = join(folder, 'data');
let release: () => void;

beforeAll(() => {
  release = lockFolder(held);
  writeFileSync(join(folder, 'bad.ndjson'), '{"record":"domain"}\n{"record":"planet"}\n');
  writeFileSync(
    join(folder, 'good.ndjson'),
    '{"record":"domain","name":"d"}\n{"record":"user","domain":"d","login":"ana"}\n' +
      '{"record":"workspace","id":"3f2504e0-4f89-41d3-9a0c-0305e82c3301","domain":"d","name":"w","members":[{"user":"ana","role":"OWNER"}]}\n' +
      '{"record":"project","id":"5c1f0f2a-7f0e-4c29-9d0c-2f1f7b1f4b77","workspace":"3f2504e0-4f89-41d3-9a0c-0305e82c3301","name":"p"}\n',
  );
  writeFileSync(join(folder, 'coco.json'), '{"images":[],"annotations":[],"categories":[]}');
  mkdirSync(join(folder, 'empty'));
});
afterAll(() => {
  release();
  rmSync(folder, { recursive: true, force: true });
});

const WORKSPACE = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const PROJECT = '5c1f0f2a-7f0e-4c29-9d0c-2f1f7b1f4b77';
type Env = Record<string, string>;
const HELD = { DATA_DIR: held };
const NO_SERVER = { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' };
const NO_FOLDER = { DATA_DIR: '/dev/null/data' };

const trivium = (args: readonly string[], env: Env = {}): Ended =>
  triviumSync(args, { cwd: folder, env: { DATA_DIR: data, ...env } });
const run = (args: readonly string[]): Promise<Ended> =>
  runTrivium(args, { cwd: folder, env: { DATA_DIR: data } });

const documentsOf = (stdout: string): any[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('--version prints the version of the package', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(trivium(['--version'])).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
  expect(trivium(['--version', '--json']).stdout).toBe(`{"version":"${version}"}\n`);
});

describe('a failure has the exit code of --help, and with --json is one document on stderr', () => {
  test.each<[args: string, code: string, exitCode: number, env?: Env]>([
    ['', 'USAGE', 2],
    ['fly', 'USAGE', 2],
    ['serve', 'IN_USE', 4, HELD],
    ['migrate', 'USAGE', 2, NO_FOLDER],
    ['demo --all', 'USAGE', 2],
    ['demo', 'IN_USE', 4, HELD],
    ['import nowhere.ndjson', 'USAGE', 2],
    ['import empty', 'USAGE', 2],
    ['import bad.ndjson', 'INPUT', 3],
    ['backup', 'USAGE', 2],
    ['restore bad.ndjson', 'INPUT', 3, { DATA_DIR: 'new' }],
    ['storage check', 'IN_USE', 4, HELD],
    ['project export', 'USAGE', 2],
    [`project export ${PROJECT} --login ana --out x.zip`, 'IN_USE', 4, HELD],
    ['project import-coco coco.json', 'USAGE', 2],
    ['session create', 'USAGE', 2],
    ['api-key create --customer c --expires 99999-01-01', 'USAGE', 2],
    ['api-key revoke', 'USAGE', 2],
    ['api-key list', 'IN_USE', 4, HELD],
    ['scim-token create', 'USAGE', 2],
    ['scim-token create --domain d --expires never', 'USAGE', 2],
    ['scim-token list', 'IN_USE', 4, HELD],
    ['routes now', 'USAGE', 2],
    ['legacy-usage --years 2', 'USAGE', 2],
    ['legacy-usage', 'FAILURE', 1, NO_SERVER],
  ])(
    '%s: %s',
    (args, code, exitCode, env) => {
      const { status, stdout, stderr } = trivium(
        [...args.split(' ').filter(Boolean), '--json'],
        env,
      );
      expect([status, stdout]).toEqual([exitCode, '']);
      const { error } = JSON.parse(stderr);
      expect(error).toMatchObject({
        code,
        exitCode,
        message: expect.stringMatching(/^(?!error)./),
      });
      expect(error.message).not.toMatch(/^\s+at /m);
    },
    GENEROUS,
  );
});

test.each([
  ['12', 'is not a time'],
  ['2030-02-30', 'is not a time'],
  ['2030-01-31T00:00:00', 'names no zone: add Z for UTC, or an offset'],
])('--expires %s is refused', (time, why) => {
  for (const create of ['api-key create --customer c', 'scim-token create --domain d'])
    expect(trivium([...create.split(' '), '--expires', time], {})).toEqual({
      status: 2,
      stdout: '',
      stderr: `--expires: ${time} ${why}\n`,
    });
});

test.each<[args: string, env: Env, name: string, path: string]>([
  ['serve', { DATA_DIR: 'bad.ndjson' }, 'DATA_DIR', 'bad.ndjson'],
  ['domain list', { DATA_DIR: 'bad.ndjson' }, 'DATA_DIR', 'bad.ndjson'],
  ['migrate', NO_FOLDER, 'DATA_DIR', '/dev/null/data'],
  ['serve', { STORAGE: 'bad.ndjson' }, 'STORAGE', 'bad.ndjson'],
  ['storage check', { STORAGE: 'file:///dev/null' }, 'STORAGE', '/dev/null'],
])(
  '%s with %j exits with 2 and names the variable and the path',
  (args, env, name, path) => {
    const { status, stdout, stderr } = trivium(args.split(' '), env);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^${name}: expected a folder, which ${path} is not .*\\n$`));
  },
  GENEROUS,
);

describe('the address of a gateway', () => {
  const TOKEN = { TRIVIUM_TOKEN: 'x' };
  const UPLOAD = `images upload empty --dataset ${PROJECT}`;
  const ROTATE = `workspace rotate-key ${PROJECT} --old-key-file key --new-key-file key --gateway`;

  test.each<[args: string, env: Env, from: string]>([
    [`${UPLOAD} --url http://%zz`, TOKEN, '--url'],
    [UPLOAD, { ...TOKEN, TRIVIUM_URL: 'http://%zz' }, 'TRIVIUM_URL'],
    [`${ROTATE} http://%zz`, TOKEN, '--gateway'],
  ])(
    '%s with %j: what is none exits with 2',
    (args, env, from) => {
      const { status, stdout, stderr } = trivium(args.split(' '), env);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toBe(`${from}: http://%zz is no address of a gateway\n`);
    },
    GENEROUS,
  );

  test.each(['http://joe:hunter2@127.0.0.1:1', 'http://127.0.0.1:1/?a=b', 'http://127.0.0.1:1#a'])(
    '%s: one with more than a path exits with 2, and is not repeated',
    (url) => {
      expect(trivium([...UPLOAD.split(' '), '--url', url], TOKEN)).toEqual({
        status: 2,
        stdout: '',
        stderr: '--url: an address of a gateway has no user, query or fragment\n',
      });
    },
    GENEROUS,
  );

  test.each<[args: string, env: Env, message: string]>([
    [UPLOAD, { TRIVIUM_TOKEN: '…' }, 'TRIVIUM_TOKEN: it holds no token of a session'],
    [
      `${ROTATE} http://127.0.0.1:1`,
      { TRIVIUM_TOKEN: 'a\nb' },
      'TRIVIUM_TOKEN: it holds no token of a session',
    ],
    [
      `${ROTATE} http://127.0.0.1:1 --token-file bad.ndjson`,
      {},
      'bad.ndjson: it holds no token of a session',
    ],
    [`${ROTATE} http://127.0.0.1:1 --token-file empty`, {}, 'empty is a folder'],
  ])(
    '%s with %j: a token that can be none exits with 2',
    (args, env, message) => {
      expect(trivium(args.split(' '), env)).toEqual({
        status: 2,
        stdout: '',
        stderr: `${message}\n`,
      });
    },
    GENEROUS,
  );

  test(
    'where nobody listens, exits with 1 and names it',
    async () => {
      writeFileSync(join(folder, 'key'), '0'.repeat(64));
      const address = `http://127.0.0.1:${await freePort()}`;
      const { status, stdout, stderr } = trivium([...ROTATE.split(' '), `${address}/`], TOKEN);
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        new RegExp(`^error: the gateway ${address} can not be reached: .*ECONNREFUSED.*\n$`),
      );
    },
    GENEROUS,
  );
});

test(
  'a file where the data folder has a folder exits with 2 and names it',
  () => {
    mkdirSync(join(folder, 'half'));
    writeFileSync(join(folder, 'half', 'pg'), '');
    writeFileSync(join(folder, 'half', 'pg.complete'), '');
    const { status, stdout, stderr } = trivium(['migrate'], { DATA_DIR: 'half' });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^half\/pg: exists already, .* \(EEXIST\)\n$/);
  },
  GENEROUS,
);

test(
  'every command prints its result as JSON, and names that do not exist are faults of the arguments',
  async () => {
    const result = async (...args: string[]): Promise<any> => {
      const { status, stdout, stderr } = await run([...args, '--json']);
      expect([status, stderr]).toEqual([0, '']);
      return documentsOf(stdout);
    };
    const refused = async (...args: string[]): Promise<string> => {
      const { status, stdout, stderr } = await run([...args, '--json']);
      expect([status, stdout]).toEqual([2, '']);
      return JSON.parse(stderr).error.message;
    };
    expect(await result('import', 'good.ndjson', 'good.ndjson')).toMatchObject([
      { file: 'good.ndjson', new: 4, changed: 0, same: 0, kinds: { user: { new: 1 } } },
      { file: 'good.ndjson', new: 0, changed: 0, same: 4, kinds: { user: { same: 1 } } },
    ]);
    // Beside a gateway, which spares them a database of their own; the others work without one.
    const { gateway } = await startBeside({ DATA_DIR: data });
    expect(await result('migrate')).toEqual([
      { last: expect.stringMatching(/^20/), applied: expect.any(Number) },
    ]);
    expect(await refused('demo')).toMatch(/--force/);
    expect(await result('session', 'create', '--login', 'ana')).toEqual([
      { login: 'ana', token: expect.any(String), expiresAt: expect.stringMatching(/Z$/) },
    ]);
    expect(await refused('session', 'create', '--login', 'bob')).toBe('User not found');
    const [key] = await result('api-key', 'create', '--customer', 'c', '--domain', 'd');
    expect(key).toEqual({
      key: expect.stringMatching(/^ttk_/),
      prefix: key.key.slice(0, 12),
      customer: 'c',
      expiresAt: null,
    });
    expect(await result('api-key', 'list')).toMatchObject([{ prefix: key.prefix, state: 'live' }]);
    expect(await result('api-key', 'revoke', key.prefix)).toMatchObject([{ prefix: key.prefix }]);
    expect(await refused('api-key', 'revoke', 'ttk_00000000')).toBe('API key not found');
    const [scim] = await result('scim-token', 'create', '--domain', 'd');
    expect(scim).toEqual({
      token: expect.stringMatching(/^tsc_/),
      prefix: scim.token.slice(0, 12),
      domain: 'd',
      expiresAt: null,
    });
    expect(await result('scim-token', 'list', '--domain', 'd')).toMatchObject([
      { prefix: scim.prefix, domain: 'd', state: 'live' },
    ]);
    expect(await result('scim-token', 'revoke', scim.prefix)).toMatchObject([
      { prefix: scim.prefix },
    ]);
    expect(await refused('scim-token', 'revoke', 'tsc_00000000')).toBe('SCIM token not found');
    expect(await refused('scim-token', 'create', '--domain', 'nowhere')).toBe(
      'no domain "nowhere"',
    );
    expect(await result('storage', 'check', '--sweep')).toEqual([
      {
        ...{ rows: 0, objects: 0, missing: [], corrupt: [], orphans: [], leftovers: [] },
        swept: { rows: 0, objects: 0 },
      },
    ]);
    await gateway.close();
    expect(trivium(['legacy-usage', '--json'])).toMatchObject({ status: 0, stdout: '' });
    const asAna = ['--login', 'ana'];
    expect(await result('project', 'export', PROJECT, ...asAna, '--out', 'p.zip')).toEqual([
      { file: 'p.zip', bytes: expect.any(Number), missingImages: 0 },
    ]);
    const again = ['project', 'export', PROJECT, ...asAna, '--out', 'p.zip'];
    expect(await refused(...again)).toMatch(/p\.zip exists: .* --force/);
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    symlinkSync('empty', join(folder, 'to-folder'));
    for (const [out, reason] of [
      ['pipe', 'pipe exists, and is no file: choose another name'],
      ['to-folder', 'to-folder exists, and is no file: choose another name'],
      ['none/p.zip', 'none/p.zip: no such folder'],
      ['empty/', '"empty/" is no name of a file'],
    ] as const)
      expect(await refused('project', 'export', PROJECT, ...asAna, '--force', '--out', out)).toBe(
        reason,
      );
    // As a killed export leaves it.
    mkdirSync(join(folder, 'p.zip.partial'));
    writeFileSync(join(folder, 'p.zip.partial', 'data'), 'half');
    const releasePartial = lockFolder(join(folder, 'p.zip.partial'));
    expect(await refused(...again, '--force')).toBe('another process writes p.zip');
    releasePartial();
    expect(await result(...again, '--force')).toMatchObject([{ file: 'p.zip' }]);
    expect(readdirSync(folder).filter((name) => name.startsWith('p.zip'))).toEqual(['p.zip']);
    expect(await result(...again, '--force')).toMatchObject([{ file: 'p.zip' }]);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
    writeFileSync(join(folder, 'p.zip'), '');
    symlinkSync('p.zip', join(folder, 'latest.zip'));
    const toLink = ['project', 'export', PROJECT, ...asAna, '--force', '--out', 'latest.zip'];
    expect(await result(...toLink)).toMatchObject([{ file: 'latest.zip' }]);
    expect(readlinkSync(join(folder, 'latest.zip'))).toBe('p.zip');
    expect(statSync(join(folder, 'p.zip')).size).toBeGreaterThan(0);
    expect(
      await refused('project', 'export', PROJECT.replace('5', '6'), ...asAna, '--out', 'q.zip'),
    ).toMatch(/not found/);
    expect(
      await result('project', 'import-coco', 'coco.json', '--project', PROJECT, ...asAna),
    ).toMatchObject([{ file: 'coco.json', images: 0, annotations: 0, unmatched: [] }]);
    // An export only reads: it goes on while the domain is locked, and began no session.
    await result('domain', 'lock', '--domain', 'd');
    expect(await result(...again, '--force')).toMatchObject([{ file: 'p.zip' }]);
    await result('domain', 'unlock', '--domain', 'd');
    const entries = await result('audit', 'export');
    expect(JSON.stringify(entries).match(/"operation":"createSession"/g)).toHaveLength(1);
    const [backup] = await result('backup', 'b.tar.gz');
    expect(backup).toMatchObject({ file: 'b.tar.gz', images: 0, files: expect.any(Number) });
    expect(await refused('backup', join('nowhere', 'b.tar.gz'))).toMatch(
      /nowhere.*: no such folder/,
    );
    const restored = trivium(['restore', 'b.tar.gz', '--json'], { DATA_DIR: 'restored' });
    expect(documentsOf(restored.stdout)).toEqual([{ ...backup, dataDir: 'restored' }]);
    expect(await result('routes')).toContainEqual({
      method: 'GET',
      path: '/task/v1/feeds/list/tasks',
      operation: expect.any(String),
      file: 'task-execution/retrieve/rest.ts',
    });
  },
  GENEROUS,
);

test(
  'an export says which images it has no files of, as where STORAGE is not that of the gateway',
  async () => {
    const DATA_DIR = join(folder, 'other');
    const dataset = '9b2d7a52-0c5e-4b0e-8c86-5a8a3fb0f7c1';
    writeFileSync(
      join(folder, 'dataset.ndjson'),
      `{"record":"dataset","id":"${dataset}","workspace":"${WORKSPACE}","name":"d"}\n` +
        `{"record":"project","id":"${PROJECT}","workspace":"${WORKSPACE}","name":"p","datasets":["${dataset}"]}\n`,
    );
    const command = (...args: string[]): Promise<Ended> =>
      runTrivium(args, { cwd: folder, env: { DATA_DIR, STORAGE: join(folder, 'elsewhere') } });
    const { gateway } = await startBeside({ DATA_DIR });
    expect(await command('import', 'good.ndjson', 'dataset.ndjson')).toMatchObject({ stderr: '' });
    const session = await command('session', 'create', '--login', 'ana', '--json');
    const form = new FormData();
    form.append('DatasetId', dataset);
    form.append('FileName', 'a.jpg');
    form.append('Image', new Blob([new Uint8Array(await jpeg(30, 20))]));
    const upload = await fetch(`${gateway.url}/api/Images/addImage`, {
      method: 'POST',
      headers: { 'X-service-csrf-token-X': JSON.parse(session.stdout).token },
      body: form,
    });
    expect(upload.status).toBe(200);
    await gateway.close();
    const args = ['project', 'export', PROJECT, '--login', 'ana', '--out', 'lost.zip', '--force'];
    expect(await command(...args)).toEqual({
      status: 0,
      stdout: 'lost.zip\n',
      stderr:
        'lost.zip: image files that the storage lacks: 1; missing.txt in the archive names them\n',
    });
    const { stdout } = await command(...args, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ file: 'lost.zip', missingImages: 1 });
  },
  GENEROUS,
);
