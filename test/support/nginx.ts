import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

/** An nginx of our own with deploy/nginx.conf, in a temporary folder. */
export interface OwnNginx {
  url: string;
  /** Ends it at once. */
  stop(): void;
}

const PROGRAM = '/usr/sbin/nginx';

/** Is nginx installed? */
export const hasNginx = (): boolean => existsSync(PROGRAM);

/**
 * Starts nginx before two gateways, named by their ports, and waits until it listens; `edit` makes another file of the
 * shipped one.
 */
export async function startNginx(
  [first, second]: readonly [number, number],
  edit: (shipped: string) => string = (shipped) => shipped,
): Promise<OwnNginx> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'trivium-nginx-'));
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const shipped = readFileSync(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8');
  const text = edit(shipped)
    .replaceAll('gateway-1:4000', `127.0.0.1:${first}`)
    .replaceAll('gateway-2:4000', `127.0.0.1:${second}`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replace('http {', `http {\n  access_log off;\n  ${places.join('\n  ')}`);
  writeFileSync(join(folder, 'nginx.conf'), `pid ${folder}/pid;\n${text}`);
  // One process, which a signal ends at once.
  const only = 'daemon off; master_process off;';
  const child = spawn(PROGRAM, ['-e', 'stderr', '-p', folder, '-c', 'nginx.conf', '-g', only], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-999)));
  for (let tries = 0; !(await listens(port)); tries++) {
    if (tries === 100 || child.exitCode !== null) throw new Error(`nginx does not start: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
