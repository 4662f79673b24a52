import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A gateway in a process of its own. */
export interface GatewayProcess {
  url: string;
  child: ChildProcess;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Starts a gateway on a port, which does not answer yet. */
export function spawnGateway(port: number, env: Record<string, string>): GatewayProcess {
  const child = spawn(process.execPath, ['--expose-gc', '--import', 'tsx', 'src/main.ts'], {
    cwd: root,
    env: {
      ...process.env,
      NODE_ENV: 'production',
      DEMO: 'false',
      LOG_LEVEL: 'fatal',
      RATE_LIMIT: '0',
      PORT: String(port),
      ...env,
    },
    stdio: 'ignore',
  });
  return { url: `http://127.0.0.1:${port}`, child };
}

/** Waits until a gateway answers. */
export async function untilReady({ url, child }: GatewayProcess): Promise<void> {
  const end = Date.now() + 60_000;
  for (;;) {
    const ready = await fetch(`${url}/readyz`).then(
      (reply) => reply.ok,
      () => false,
    );
    if (ready) return;
    if (Date.now() > end || child.exitCode !== null)
      throw new Error(`the gateway of ${url} does not start`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Starts a gateway on a port and waits until it answers. */
export async function startGatewayProcess(
  port: number,
  env: Record<string, string>,
): Promise<GatewayProcess> {
  const gateway = spawnGateway(port, env);
  await untilReady(gateway);
  return gateway;
}
