import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readConfig } from '../../src/core/context/config.ts';
import type { Services } from '../../src/core/context/context.ts';
import { createLog } from '../../src/core/log.ts';
import { startGateway, type Gateway } from '../../src/server/start.ts';
import { TASKS } from '../support/tracker.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-demo-key-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it(
  'F242 the first embedded start with demo data makes a key for the customer demo; later starts leave it alone, and those in production',
  { timeout: 300_000 },
  async () => {
    const start = async (
      use: (gateway: Gateway, services: Services) => Promise<void>,
      env: Record<string, string> = {},
    ): Promise<string | null> => {
      let services: Services | undefined;
      const config = readConfig({ PORT: '0', DATA_DIR: folder, DEMO: 'false', ...env });
      const gateway = await startGateway(config, {
        log: createLog('silent'),
        onServices: (made) => (services = made),
      });
      if (services) await use(gateway, services);
      await gateway.close();
      return gateway.demoKey;
    };
    const call = async (gateway: Gateway, key: string): Promise<number> =>
      (
        await fetch(gateway.url + TASKS, {
          method: 'POST',
          headers: { 'API-Key': key, customerId: 'demo', 'content-type': 'application/json' },
          body: '{"name":"x"}',
        })
      ).status;

    const production = { NODE_ENV: 'production', DEMO: '' };
    expect(
      await start(async ({ hasDemo }, { db }) => {
        expect([hasDemo, await db.prisma.domain.count()]).toEqual([false, 0]);
        await db.prisma.domain.create({ data: { name: 'demo' } });
      }, production),
      'nothing is loaded in production',
    ).toBeNull();
    expect(
      await start(({ hasDemo }) => Promise.resolve(expect(hasDemo).toBe(false)), production),
      'nor is a key made for what was loaded before',
    ).toBeNull();
    const key = await start(async (gateway) =>
      expect(await call(gateway, gateway.demoKey ?? '')).toBe(201),
    );
    expect(key).toMatch(/^ttk_/);
    expect(
      await start(async (gateway) => expect(await call(gateway, key ?? '')).toBe(201)),
    ).toBeNull();
  },
);
