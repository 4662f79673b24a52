import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandsBeside } from '../support/folder-gateway.ts';
import type { Ended } from '../support/trivium.ts';

const { folder, run: trivium } = commandsBeside();

it(
  'F242 api-key create prints the key alone, list shows prefixes, revoke ends it',
  { timeout: 240_000 },
  async () => {
    const file = join(folder, 'acme.ndjson');
    writeFileSync(file, '{"record":"domain","name":"acme"}\n');
    expect((await trivium('import', file)).status).toBe(0);
    expect(await trivium('api-key', 'create', '--customer', 'till')).toMatchObject({
      status: 2,
      stderr: 'no such customer: add --domain to make it\n',
    });
    const { status, stdout } = await trivium(
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
    expect(await trivium('api-key', 'revoke', prefix)).toMatchObject({
      status: 0,
      stdout: `revoked ${prefix} of till\n`,
    });
    expect((await trivium('api-key', 'list', '--customer', 'till')).stdout).toContain(
      '  revoked  ',
    );

    // As the help says: customer and domain are made if they are new; a refusal makes neither.
    const create = (customer: string, domain: string): Promise<Ended> =>
      trivium('api-key', 'create', '--customer', customer, '--domain', domain);
    expect(await create('acme', 'brand-new')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^ttk_/),
    });
    expect(await create('till', 'another')).toMatchObject({
      status: 2,
      stderr: 'customerId is taken\n',
    });
    expect((await trivium('api-key', 'create', '--customer', 'x', '--domain', ' ')).status).toBe(2);
  },
);
