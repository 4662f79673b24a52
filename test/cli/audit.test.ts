import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { organisation } from '../support/records.ts';

const bin = fileURLToPath(new URL('../../bin/trivium.js', import.meta.url));
let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'trivium-audit-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function trivium(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [bin, ...args], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: '', DATA_DIR: folder },
    encoding: 'utf8',
  });
}

it(
  'audit export prints what the command line wrote: each write once, with its domain, and no secret',
  { timeout: 240_000 },
  () => {
    const file = join(folder, 'people.jsonl');
    writeFileSync(file, organisation.map((record) => JSON.stringify(record)).join('\n'));
    expect(trivium('import', file).status).toBe(0);
    expect(trivium('session', 'create', '--login', 'ana').status).toBe(0);
    const key = trivium(
      'api-key',
      'create',
      '--customer',
      'shop',
      '--domain',
      'acme',
    ).stdout.trim();
    const exported = (...args: string[]): object[] =>
      trivium('audit', 'export', ...args)
        .stdout.trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object);
    const all = exported('--days', '1');
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
    expect(exported('--domain', 'rival')).toEqual([all[1]]);
    expect(trivium('audit', 'export', '--days', '401')).toMatchObject({
      status: 2,
      stderr: 'days must be 1 to 400\n',
    });
    expect(trivium('audit', 'export', '--domain', 'none').status).toBe(2);
  },
);
