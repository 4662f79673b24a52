import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../test/support/free-port.ts';
import { serverUser, type OwnPostgres } from './own-postgres.ts';

/** Debian's PgBouncer; bookworm's is 1.18, which does not follow its clients' prepared statements. */
const INSTALLED = '/usr/sbin/pgbouncer';

/** A PgBouncer of our own before one server, on loopback, in a temporary folder. */
export interface OwnPooler {
  /** Of the same database, through the pooler. */
  url: string;
  /** Whether it keeps prepared statements of its clients. */
  follows: boolean;
  child: ChildProcess;
  stop(): void;
}

/** The PgBouncer of the environment variable PGBOUNCER, or Debian's. Undefined: there is none. */
export function poolerProgram(): { path: string; version: string; follows: boolean } | undefined {
  const path = process.env['PGBOUNCER'] ?? INSTALLED;
  if (!existsSync(path)) return undefined;
  const [line = ''] = execFileSync(path, ['--version'], { encoding: 'utf8' }).split('\n');
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(line) ?? [];
  return { path, version: line, follows: Number(major) > 1 || Number(minor) >= 21 };
}

/** Starts one in transaction mode with so many connections to the server, and waits until it answers. */
export async function startPooler(
  { path, follows }: { path: string; follows: boolean },
  server: Pick<OwnPostgres, 'url' | 'port'>,
  poolSize: number,
): Promise<OwnPooler> {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-pooler-'));
  const [port, as] = [await freePort(), serverUser()];
  if (as) chownSync(folder, as.uid, as.gid);
  writeFileSync(join(folder, 'users'), '"postgres" ""\n');
  writeFileSync(
    join(folder, 'ini'),
    `[databases]
postgres = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr=127.0.0.1
listen_port=${port}
unix_socket_dir=
auth_type=trust
auth_file=${join(folder, 'users')}
pool_mode=transaction
default_pool_size=${poolSize}
${follows ? 'max_prepared_statements=500\n' : ''}`,
  );
  const child = spawn(path, [join(folder, 'ini')], { ...as, stdio: 'ignore' });
  const url = server.url.replace(String(server.port), String(port));
  const stop = (): void => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  for (const end = Date.now() + 5_000; !(await answers(url));)
    if (Date.now() > end || child.exitCode !== null) {
      stop();
      throw new Error(`${path} does not start`);
    }
  return { url, follows, child, stop };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
