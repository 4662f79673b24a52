import { execFile, execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../test/support/free-port.ts';

/** A PostgreSQL server of our own, on loopback, in a temporary folder. */
export interface OwnPostgres {
  url: string;
  port: number;
  /** Kills the server as a crash would and starts it again. */
  crash(): void;
  /** Stops it for a while, without holding up the caller's own work. */
  halt(): Promise<void>;
  start(): Promise<void>;
  /** Starts a streaming replica of it. */
  replica(): Promise<OwnPostgres>;
  stop(): void;
}

const runAsync = promisify(execFile);

/** The user that server programs run as: they refuse root, which runs them as `postgres`. */
export function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Starts one, below `within`, with further settings. */
export async function startPostgres({
  within = tmpdir(),
  settings = [] as string[],
  copyOf = '',
} = {}): Promise<OwnPostgres> {
  const bin = programs();
  const folder = mkdtempSync(join(within, 'trivium-pg-'));
  const data = join(folder, 'data');
  const as = serverUser();
  if (as) chownSync(folder, as.uid, as.gid);
  const options = { ...as, cwd: folder };
  const run = (program: string, ...args: string[]): void =>
    void execFileSync(join(bin, program), args, {
      ...options,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  const port = await freePort();
  if (copyOf === '')
    run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync');
  else
    await runAsync(
      join(bin, 'pg_basebackup'),
      ['-d', copyOf, '-D', data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'],
      options,
    );
  const all = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=100',
    'log_min_messages=panic',
    ...settings,
  ];
  const startArgs = [
    '-D',
    data,
    '-w',
    '-o',
    [`-p ${port}`, ...all.map((one) => `-c ${one}`)].join(' '),
    '-l',
    join(folder, 'log'),
    'start',
  ];
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  run('pg_ctl', ...startArgs);
  return {
    url,
    port,
    crash: () => {
      run('pg_ctl', '-D', data, '-m', 'immediate', 'stop');
      run('pg_ctl', ...startArgs);
    },
    halt: async () =>
      void (await runAsync(join(bin, 'pg_ctl'), ['-D', data, '-m', 'fast', '-w', 'stop'], options)),
    // The server keeps the pipes of its parent open: they are not waited for.
    start: () =>
      new Promise((resolve, reject) => {
        const child = execFile(join(bin, 'pg_ctl'), startArgs, options);
        child.once('exit', (code) =>
          code === 0 ? resolve() : reject(new Error(`pg_ctl start: ${String(code)}`)),
        );
      }),
    replica: () => startPostgres({ within, settings, copyOf: url }),
    stop: () => {
      try {
        execFileSync(join(bin, 'pg_ctl'), ['-D', data, '-m', 'immediate', 'stop'], {
          ...options,
          stdio: 'ignore',
        });
      } catch {
        // It was down already.
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Are PostgreSQL's programs installed? */
export const hasPostgres = (): boolean => existsSync(join(programs(), 'initdb'));

/** The folder of PostgreSQL's programs; empty where there is none. */
export function programs(): string {
  const root = '/usr/lib/postgresql';
  const newest = existsSync(root)
    ? readdirSync(root)
        .filter((name) => /^\d+$/.test(name))
        .sort((a, b) => Number(b) - Number(a))[0]
    : undefined;
  return newest ? join(root, newest, 'bin') : '';
}
