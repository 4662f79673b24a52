import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const bin = fileURLToPath(new URL('../../bin/trivium.js', import.meta.url));
let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'trivium-users-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function trivium(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [bin, ...args], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: '', DATA_DIR: join(folder, 'data') },
    encoding: 'utf8',
  });
}
const user = (...args: string[]): ReturnType<typeof trivium> => trivium('user', ...args);
const done = (stdout: string) => ({ status: 0, stdout });
const refused = (stderr: string) => ({ status: 2, stdout: '', stderr: `${stderr}\n` });

it(
  'user create, list, update, disable, enable and one-time-password do what administrators do in GraphQL',
  { timeout: 240_000 },
  () => {
    const file = join(folder, 'acme.ndjson');
    writeFileSync(
      file,
      [
        { record: 'domain', name: 'acme' },
        { record: 'unit', domain: 'acme', name: 'Berlin' },
        { record: 'dept', domain: 'acme', name: 'Bakery' },
        { record: 'dept', domain: 'acme', name: 'Office' },
      ]
        .map((record) => `${JSON.stringify(record)}\n`)
        .join(''),
    );
    expect(trivium('import', file).status).toBe(0);
    const mia = ['--login', 'Mia', '--domain', 'acme', '--name', 'Mia M.', '--unit', 'Berlin'];
    const rights = ['--home-dept', 'Bakery', '--dept', 'Office', '--permission', 'DOMAIN_ADMIN'];
    expect(user('create', ...mia, ...rights)).toMatchObject(done('created mia\n'));
    expect(user('create', ...mia)).toMatchObject(refused('input.login: is taken'));
    expect(user('create', '--login', 'x', '--domain', 'none')).toMatchObject(
      refused('no domain "none"'),
    );
    expect(JSON.parse(user('list', '--domain', 'acme', '--json').stdout)).toEqual({
      id: expect.any(Number),
      login: 'mia',
      displayName: 'Mia M.',
      unit: 'Berlin',
      profile: null,
      departments: [
        { name: 'Bakery', home: true },
        { name: 'Office', home: false },
      ],
      permissions: ['DOMAIN_ADMIN'],
      timeZone: null,
      langCode: 'en',
      defaultView: 'MV',
      hasPassword: false,
      disabledAt: null,
      oneTimeUntil: null,
    });
    const last = 'input.userId: is the last administrator of the domain';
    expect(user('disable', 'mia')).toMatchObject(refused(last));
    expect(user('update', 'mia', '--no-permission')).toMatchObject(refused(last));
    expect(user('update', 'mia', '--no-unit', '--view', 'SV')).toMatchObject(done('changed mia\n'));
    expect(user('create', '--login', 'ben', '--domain', 'acme').status).toBe(0);
    expect(user('disable', 'BEN')).toMatchObject(done('disabled ben\n'));
    expect(user('list', '--domain', 'acme').stdout).toBe(
      'ben  ben     disabled  -  -  -\nmia  Mia M.  enabled   -  -  DOMAIN_ADMIN\n',
    );
    expect(user('enable', 'ben')).toMatchObject(done('enabled ben\n'));
    expect(user('list', '--domain', 'acme', '--disabled').stdout).toBe('');
    expect(user('one-time-password', 'ben')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^(\w{5}-){3}\w{5}\n$/),
    });
    expect(user('unlink', 'ben')).toMatchObject(done('ben has no identity\n'));
    expect(user('unlink', 'nobody')).toMatchObject(refused('User not found'));
    expect(user('one-time-password', 'nobody')).toMatchObject(refused('User not found'));
  },
);
