import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../test/support/free-port.ts';
import { clusterFile, gatewaySettings, type ClusterPlaces } from './cluster-files.ts';
import { poolerProgram } from './own-pooler.ts';
import { programs, serverUser } from './own-postgres.ts';

const PROGRAMS = {
  etcd: '/usr/bin/etcd',
  patroni: '/usr/bin/patroni',
  haproxy: '/usr/sbin/haproxy',
};

/** Two PostgreSQL under Patroni with etcd, HAProxy and PgBouncer: deploy/patroni on loopback, in a temporary folder. */
export interface OwnCluster {
  /** The gateway's settings. */
  env: Record<string, string>;
  /** For superusers: the primary, and the replica, through HAProxy. */
  primary: string;
  replica: string;
  /** Which server is the primary and has a replica that has all that is acknowledged; undefined while there is none. */
  settled(): Promise<number | undefined>;
  /** Kills a server as a power failure would: Patroni, and PostgreSQL with all its processes. */
  kill(server: number): void;
  start(server: number): void;
  /** The last lines of the logs. */
  tail(): string;
  stop(): void;
}

/** The Debian packages that are missing. */
export function missingForCluster(): string[] {
  const missing = Object.entries(PROGRAMS)
    .filter(([, path]) => !existsSync(path))
    .map(([name]) => (name === 'etcd' ? 'etcd-server' : name));
  if (!poolerProgram()) missing.push('pgbouncer');
  if (programs() === '') missing.push('postgresql');
  return missing;
}

/** Starts one, with the role and the database of the gateway. */
export async function startCluster(): Promise<OwnCluster> {
  const [folder, as, pooler] = [
    mkdtempSync(join(tmpdir(), 'trivium-cluster-')),
    serverUser(),
    poolerProgram(),
  ];
  if (!pooler) throw new Error('no pgbouncer');
  if (as) chownSync(folder, as.uid, as.gid);
  const port = freePort;
  const places: ClusterPlaces = {
    folder,
    programs: programs(),
    servers: [
      { postgres: await port(), patroni: await port() },
      { postgres: await port(), patroni: await port() },
    ],
    etcd: { client: await port(), peer: await port() },
    primary: await port(),
    replica: await port(),
    pooler: await port(),
  };
  const children: ChildProcess[] = [];
  const run = (program: string, args: string[], log: string): ChildProcess => {
    const child = spawn(
      '/bin/sh',
      ['-c', `exec "$0" "$@" >>${join(folder, log)}.log 2>&1`, program, ...args],
      {
        ...as,
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: folder, LANG: 'C.UTF-8' },
        stdio: 'ignore',
      },
    );
    children.push(child);
    return child;
  };
  const place = (name: Parameters<typeof clusterFile>[0], server?: number): string => {
    const path = join(folder, server === undefined ? name : `${server}-${name}`);
    let text = clusterFile(name, places, server);
    if (pooler.follows) text = text.replace(';max_prepared', 'max_prepared');
    writeFileSync(path, text, { mode: 0o600 });
    if (as) chownSync(path, as.uid, as.gid);
    return path;
  };
  const patroni: ChildProcess[] = [];
  const start = (server: number): void => {
    patroni[server] = run(PROGRAMS.patroni, [place('patroni.yml', server)], `patroni${server}`);
  };
  const kill = (server: number): void => {
    const ids = processesOf(join(folder, `db${server}`));
    patroni[server]?.kill('SIGKILL');
    for (const id of ids) endProcess(id);
  };
  const superuser = (at: number, database = 'trivium'): string =>
    `postgres://postgres:change-me-1@127.0.0.1:${at}/${database}`;
  const cluster: OwnCluster = {
    env: gatewaySettings(places),
    primary: superuser(places.primary),
    replica: superuser(places.replica),
    settled: async () => {
      const roles = await Promise.all(
        places.servers.map(({ patroni: at }) => roleAt(`http://127.0.0.1:${at}`)),
      );
      const at = roles.indexOf('primary');
      return at >= 0 && roles.includes('synchronous') ? at + 1 : undefined;
    },
    kill,
    start,
    tail: () =>
      ['patroni1', 'patroni2', 'haproxy', 'pgbouncer']
        .map((name) => `${name}:\n${lastLines(join(folder, `${name}.log`))}`)
        .join('\n'),
    stop: () => {
      for (const child of children) child.kill('SIGKILL');
      for (const server of [1, 2]) kill(server);
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
  try {
    run(PROGRAMS.etcd, ['--config-file', place('etcd.yml')], 'etcd');
    start(1);
    start(2);
    run(PROGRAMS.haproxy, ['-db', '-f', place('haproxy.cfg')], 'haproxy');
    place('userlist.txt');
    run(pooler.path, [place('pgbouncer.ini')], 'pgbouncer');
    await waitFor(async () => (await cluster.settled()) !== undefined, 120_000);
    const first = superuser(places.primary, 'postgres');
    await waitFor(() => runStatements(first, ['SELECT 1']), 20_000);
    const statements = clusterFile('role.sql', places).match(/^(?!--).+;$/gm) ?? [];
    if (!(await runStatements(first, statements))) throw new Error('role.sql failed');
    return cluster;
  } catch (error) {
    const tail = cluster.tail();
    cluster.stop();
    throw new Error(`the cluster does not start:\n${tail}`, { cause: error });
  }
}

/** What a Patroni says that its server is. */
async function roleAt(url: string): Promise<'primary' | 'synchronous' | 'other'> {
  const is = (path: string): Promise<boolean> =>
    fetch(url + path, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  if (await is('/primary')) return 'primary';
  return (await is('/synchronous')) ? 'synchronous' : 'other';
}

async function waitFor(holds: () => Promise<boolean>, ms: number): Promise<void> {
  const end = Date.now() + ms;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not within ${ms / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function runStatements(url: string, statements: readonly string[]): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    for (const statement of statements) await client.query(statement);
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** PostgreSQL in a folder, and its processes. */
function processesOf(data: string): number[] {
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file)) return [];
  const [first = ''] = readFileSync(file, 'utf8').split('\n');
  // After a kill the file is still there, and the number may be another's.
  const command = `/proc/${first}/cmdline`;
  if (!existsSync(command) || !readFileSync(command, 'utf8').includes(data)) return [];
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', first], { encoding: 'utf8' });
  return [first, ...children.split('\n')].map(Number).filter((id) => id > 1);
}

function endProcess(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function lastLines(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(-12).join('\n') : '';
}
