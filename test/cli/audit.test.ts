import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { organisation } from '../support/records.ts';
import { commandsBeside } from '../support/folder-gateway.ts';

const { folder, run: trivium } = commandsBeside();

it(
  'audit export prints what the command line wrote: each write once, with its domain, and no secret',
  { timeout: 240_000 },
  async () => {
    const file = join(folder, 'people.jsonl');
    writeFileSync(file, organisation.map((record) => JSON.stringify(record)).join('\n'));
    expect((await trivium('import', file)).status).toBe(0);
    expect((await trivium('session', 'create', '--login', 'ana')).status).toBe(0);
    const key = (
      await trivium('api-key', 'create', '--customer', 'shop', '--domain', 'acme')
    ).stdout.trim();
    const exported = async (...args: string[]): Promise<object[]> =>
      (await trivium('audit', 'export', ...args)).stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object);
    const all = await exported('--days', '1');
    const operator = { actor: 'operator', login: null, outcome: 'DONE', code: null, times: 1 };
    expect(all).toMatchObject([
      { ...operator, operation: 'import', surface: 'IMPORT', domain: 'acme' },
      { ...operator, operation: 'import', surface: 'IMPORT', domain: 'rival' },
      { ...operator, operation: 'createSession', surface: 'COMMAND', domain: 'acme' },
      { ...operator, operation: 'issueApiKey', surface: 'COMMAND', domain: 'acme' },
    ]);
    expect(Object.keys(all[0] ?? {}).sort()).toEqual(
      'actor address at code detail domain id login objects operation outcome requestId surface times'.split(
        ' ',
      ),
    );
    expect(JSON.stringify(all)).not.toContain('secret of ana');
    expect(JSON.stringify(all)).not.toContain(key);
    expect(await exported('--domain', 'rival')).toEqual([all[1]]);
    expect(await trivium('audit', 'export', '--days', '401')).toMatchObject({
      status: 2,
      stderr: 'days must be 1 to 400\n',
    });
    expect((await trivium('audit', 'export', '--domain', 'none')).status).toBe(2);
  },
);
