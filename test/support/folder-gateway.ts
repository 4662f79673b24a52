import { readConfig } from '../../src/core/context/config.ts';
import type { Services } from '../../src/core/context/context.ts';
import { startGateway, type Gateway } from '../../src/server/start.ts';

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
