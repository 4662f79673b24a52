import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readConfig } from '../../src/core/config.ts';
import type { Services } from '../../src/core/context.ts';
import { createLog } from '../../src/core/log.ts';
import { startGateway, type Gateway } from '../../src/server/start.ts';
import { TASKS } from '../support/tracker.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-demo-key-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it(
  'F242 the first embedded start with demo data makes a key for the customer demo; later starts leave it alone',
  { timeout: 120_000 },
  async () => {
    const config = readConfig({ PORT: '0', DATA_DIR: folder, DEMO: 'false' });
    const start = async (
      use: (gateway: Gateway, services: Services) => Promise<void>,
    ): Promise<string | null> => {
      let services: Services | undefined;
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

    expect(
      await start(
        async (_, { db }) => void (await db.prisma.domain.create({ data: { name: 'demo' } })),
      ),
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
