import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A gateway in a process of its own. */
export interface GatewayProcess {
  url: string;
  child: ChildProcess;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Starts a gateway on a port and waits until it answers. */
export async function startGatewayProcess(
  port: number,
  env: Record<string, string>,
): Promise<GatewayProcess> {
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
  const url = `http://127.0.0.1:${port}`;
  const end = Date.now() + 60_000;
  for (;;) {
    const ready = await fetch(`${url}/readyz`).then(
      (reply) => reply.ok,
      () => false,
    );
    if (ready) return { url, child };
    if (Date.now() > end || child.exitCode !== null)
      throw new Error(`the gateway on port ${port} does not start`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
