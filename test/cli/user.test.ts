import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandsBeside } from '../support/folder-gateway.ts';
import type { Ended } from '../support/trivium.ts';

const { folder, run: trivium } = commandsBeside();
const user = (...args: string[]): Promise<Ended> => trivium('user', ...args);
const done = (stdout: string) => ({ status: 0, stdout });
const refused = (stderr: string) => ({ status: 2, stdout: '', stderr: `${stderr}\n` });

it(
  'user create, list, update, disable, enable and one-time-password do what administrators do in GraphQL',
  { timeout: 240_000 },
  async () => {
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
    expect((await trivium('import', file)).status).toBe(0);
    const mia = ['--login', 'Mia', '--domain', 'acme', '--name', 'Mia M.', '--unit', 'Berlin'];
    const rights = ['--home-dept', 'Bakery', '--dept', 'Office', '--permission', 'DOMAIN_ADMIN'];
    expect(await user('create', ...mia, ...rights)).toMatchObject(done('created mia\n'));
    expect(await user('create', ...mia)).toMatchObject(refused('login: is taken'));
    expect(await user('create', '--login', 'x', '--domain', 'none')).toMatchObject(
      refused('no domain "none"'),
    );
    expect(JSON.parse((await user('list', '--domain', 'acme', '--json')).stdout)).toEqual({
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
    const last = 'userId: is the last administrator of the domain';
    expect(await user('disable', 'mia')).toMatchObject(refused(last));
    expect(await user('update', 'mia', '--no-permission')).toMatchObject(refused(last));
    expect(await user('update', 'mia', '--no-unit', '--view', 'SV')).toMatchObject(
      done('changed mia\n'),
    );
    expect((await user('create', '--login', 'ben', '--domain', 'acme')).status).toBe(0);
    expect(await user('disable', 'BEN')).toMatchObject(done('disabled ben\n'));
    expect((await user('list', '--domain', 'acme')).stdout).toBe(
      'ben  ben     disabled  -  -  -\nmia  Mia M.  enabled   -  -  DOMAIN_ADMIN\n',
    );
    expect(await trivium('session', 'create', '--login', 'ben')).toMatchObject(
      refused('Enabled user not found'),
    );
    expect(await user('enable', 'ben')).toMatchObject(done('enabled ben\n'));
    expect((await user('list', '--domain', 'acme', '--disabled')).stdout).toBe('');
    expect(await user('one-time-password', 'ben')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^(\w{5}-){3}\w{5}\n$/),
    });
    expect(await user('unlink', 'ben')).toMatchObject(done('ben has no identity\n'));
    expect(await user('unlink', 'nobody')).toMatchObject(refused('User not found'));
    expect(await user('one-time-password', 'nobody')).toMatchObject(refused('User not found'));
  },
);

it('a name with a line break, or with a command to the terminal, stays on its line', async () => {
  const [broken, coloured] = ['two\nlines', '\u001b[31mred'];
  const file = join(folder, 'broken.ndjson');
  const records = [
    { record: 'domain', name: broken },
    { record: 'user', domain: broken, login: 'zoe', display_name: coloured },
  ];
  const write = (all: object[]): void =>
    writeFileSync(file, all.map((record) => `${JSON.stringify(record)}\n`).join(''));
  write(records);
  expect((await trivium('import', file)).status).toBe(0);
  const lines = async (...args: string[]): Promise<string[]> =>
    (await trivium(...args)).stdout.split('\n').filter((line) => /two|red/.test(line));
  expect(await lines('domain', 'list')).toEqual([expect.stringMatching(/ two\\u000alines +OPEN$/)]);
  expect(await lines('user', 'list', '--domain', broken)).toEqual([
    expect.stringContaining(' \\u001b[31mred '),
  ]);
  expect(JSON.parse((await user('list', '--domain', broken, '--json')).stdout)).toMatchObject({
    displayName: coloured,
  });
  write([{ ...records[1], domain: 'none\nat all' }]);
  expect(await trivium('import', file)).toMatchObject({
    status: 3,
    stderr: `${file}:1: domain: no domain "none\\u000aat all" in the database or on an earlier line\n${file}: 1 problem, nothing was imported\n`,
  });
}, 120_000);
