import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const bin = fileURLToPath(new URL('../../bin/trivium.js', import.meta.url));
let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'trivium-keys-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function trivium(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [bin, ...args], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: '', DATA_DIR: join(folder, 'data') },
    encoding: 'utf8',
  });
}

it(
  'F242 api-key create prints the key alone, list shows prefixes, revoke ends it',
  { timeout: 240_000 },
  () => {
    const file = join(folder, 'acme.ndjson');
    writeFileSync(file, '{"record":"domain","name":"acme"}\n');
    expect(trivium('import', file).status).toBe(0);
    expect(trivium('api-key', 'create', '--customer', 'till')).toMatchObject({
      status: 2,
      stderr: 'no such customer: add --domain to make it\n',
    });
    const { status, stdout } = trivium(
      'api-key',
      'create',
      '--customer',
      'till',
      '--domain',
      'acme',
    );
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ttk_[0-9a-f]{8}_[A-Za-z0-9_-]{43}\n$/);
    const prefix = stdout.slice(0, 12);
    expect(trivium('api-key', 'revoke', prefix)).toMatchObject({
      status: 0,
      stdout: `revoked ${prefix} of till\n`,
    });
    expect(trivium('api-key', 'list', '--customer', 'till').stdout).toContain('  revoked  ');

    // As the help says: customer and domain are made if they are new; a refusal makes neither.
    const create = (customer: string, domain: string): ReturnType<typeof trivium> =>
      trivium('api-key', 'create', '--customer', customer, '--domain', domain);
    expect(create('acme', 'brand-new')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^ttk_/),
    });
    expect(create('till', 'another')).toMatchObject({ status: 2, stderr: 'customerId is taken\n' });
    expect(trivium('api-key', 'create', '--customer', 'x', '--domain', ' ').status).toBe(2);
  },
);
