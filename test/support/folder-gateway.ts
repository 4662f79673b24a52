import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { readConfig } from '../../src/core/context/config.ts';
import type { Services } from '../../src/core/context/context.ts';
import { startGateway, type Gateway } from '../../src/server/start.ts';
import { trivium, type Ended } from './trivium.ts';

/** A gateway in this process on the database that `env` names, beside which commands run. */
export async function startBeside(
  env: Record<string, string>,
): Promise<{ gateway: Gateway; services: Services }> {
  let services: Services | undefined;
  const gateway = await startGateway(
    readConfig({ PORT: '0', DEMO: 'false', LOG_LEVEL: 'silent', ...env }),
    { onServices: (made) => (services = made), idleMs: 0 },
  );
  if (!services) throw new Error('the gateway made no services');
  return { gateway, services };
}

/**
 * Runs commands of a test file in a folder of its own, beside a gateway: so they open no database of their own, which takes
 * each of them a second. Called once.
 */
export function commandsBeside(): {
  folder: string;
  run: (...args: string[]) => Promise<Ended>;
} {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-commands-'));
  const env = { DATA_DIR: join(folder, 'data') };
  let gateway: Gateway;
  beforeAll(async () => void ({ gateway } = await startBeside(env)));
  afterAll(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, run: (...args) => trivium(args, { cwd: folder, env }) };
}
