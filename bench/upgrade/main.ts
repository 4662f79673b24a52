/**
 * Upgrades two gateways of the last release under load, one after the other, with a migration that locks tables, fills rows and makes an index, and counts what
 * fails, is lost, or waits. Exit code 1 when any promise of docs/operations.md, "Upgrade", is broken.
 * usage: npm run test:upgrade -- [--from revision]
 */
import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../../test/support/free-port.ts';
import { hasNginx, startNginx } from '../../test/support/nginx.ts';
import { pause, query, Rig, until } from '../faults/fault.ts';
import { hasPostgres } from '../support/own-postgres.ts';
import {
  added,
  buildNew,
  buildOld,
  commitOf,
  releasedRevision,
  removeNew,
  runCli,
  startBuild,
} from './releases.ts';
import { STREAMS, Traffic } from './traffic.ts';

const FEEDS = 8_000;
/** Longest wait that an upgrade may cause, in milliseconds, beside what the machine causes without one. */
const LONGEST = 2_000;
/** Time for traffic before, between and after the steps of the upgrade, in milliseconds. */
const WHILE = 5_000;

const { values } = parseArgs({ options: { from: { type: 'string' } } });
const revision = values.from ?? releasedRevision();
const commit = commitOf(revision);
const missing =
  commit === undefined
    ? `the revision ${revision}, which a shallow clone does not have`
    : !hasNginx()
      ? 'nginx (Debian package)'
      : !hasPostgres()
        ? "PostgreSQL's programs"
        : undefined;
if (commit === undefined || missing !== undefined) {
  console.log(`not run: needs ${missing ?? ''}`);
  process.exit(0);
}

const rig = new Rig(false);
const leave = (code: number): never => {
  rig.end();
  process.exit(code);
};
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => leave(1));
process.on('uncaughtException', (error) => {
  console.error(error);
  leave(1);
});
setTimeout(() => {
  console.error('not finished in 20 minutes');
  leave(1);
}, 1_200_000).unref();

const begun = performance.now();
const say = (text: string): void =>
  console.log(`${((performance.now() - begun) / 1_000).toFixed(1).padStart(7)} s  ${text}`);

say(`building ${commit.slice(0, 9)}, which is released, and this checkout`);
const old = buildOld(commit);
const built = buildNew();
rig.atEnd(() => removeNew(built));
const { url: DATABASE_URL } = await rig.postgres();
const env = { DATABASE_URL, TRUSTED_PROXIES: 'loopback' };
const world = fill();
say(`${FEEDS} feeds by the old version`);

const ports = [await freePort(), await freePort()] as const;
const start = async (folder: string, port: number): Promise<ChildProcess> => {
  const child = await startBuild(folder, port, { ...env, DATA_DIR: rig.folder() });
  rig.atEnd(() => void child.kill('SIGKILL'));
  return child;
};
const gateways = [await start(old, ports[0]), await start(old, ports[1])];
const nginx = await startNginx(ports);
rig.atEnd(() => nginx.stop());
const traffic = new Traffic(nginx.url, world);
const broken: string[] = [];
const phases: { name: string; from: number }[] = [];
const phase = (name: string): void => {
  phases.push({ name, from: performance.now() });
  say(name);
};

await traffic.start();
phase('two old gateways');
await pause(WHILE);
phase('the first is replaced by a new one, which migrates');
await replace(0, built);
await pause(WHILE);
phase('the other old one is restarted on the migrated database');
await replace(1, old);
await pause(WHILE);
phase('it is replaced by a new one');
await replace(1, built);
const done = await until(stepsAreDone, 120_000);
await pause(WHILE);
phase('end');
const missed = await traffic.stop();
await report();

/** A domain of two users, feeds and a key of the task tracker, through the command line, which every version has. */
function fill(): { tokens: string[]; customer: Record<string, string>; feeds: number } {
  const folder = rig.folder();
  const file = join(folder, 'feeds.ndjson');
  const domain = 'upgrade';
  const lines: object[] = [
    { record: 'domain', name: domain },
    { record: 'dept', domain, name: 'Floor' },
    { record: 'dept', domain, name: 'Till' },
  ];
  for (const login of ['user0', 'user1'])
    lines.push({ record: 'user', domain, login, display_name: login, depts: [{ name: 'Floor' }] });
  for (let key = 1; key <= FEEDS; key++)
    lines.push({
      feed_key: key,
      domain,
      kind: 'MESSAGE',
      feed_title: `Feed ${key}`,
      assignments: key % 2 ? [{ dept: 'Floor' }] : [{ dept: 'Floor' }, { dept: 'Till' }],
    });
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  const cli = (...args: string[]): string =>
    runCli(old, { DATABASE_URL, DATA_DIR: folder, NODE_ENV: 'production' }, ...args);
  cli('import', file);
  const tokens = ['user0', 'user1'].map((login) => cli('session', 'create', '--login', login));
  const key = cli('api-key', 'create', '--customer', domain, '--domain', domain);
  return { tokens, customer: { 'API-Key': key, customerId: domain }, feeds: FEEDS };
}

/** Stops a gateway as a supervisor does and starts one in its place. */
async function replace(n: 0 | 1, folder: string): Promise<void> {
  const gateway = gateways[n];
  if (!gateway) return;
  const exit = once(gateway, 'exit');
  gateway.kill('SIGTERM');
  const [code] = await exit;
  if (code !== 0) broken.push(`a gateway left with ${String(code)}`);
  gateways[n] = await start(folder, ports[n]);
}

async function stepsAreDone(): Promise<boolean> {
  const [row] = await query(
    DATABASE_URL,
    `SELECT count(*)::int AS done FROM _migration_steps WHERE migration_name LIKE '%${added.column}' AND finished_at IS NOT NULL`,
  );
  return row.done === added.steps;
}

async function report(): Promise<void> {
  const { sent, tasks, pins, connections } = traffic;
  const longest: number[] = [];
  console.log(
    '\nphase                                                   requests  failed  longest',
  );
  for (const [n, { name, from }] of phases.slice(0, -1).entries()) {
    const within = sent.filter(({ at }) => at >= from && at < (phases[n + 1]?.from ?? Infinity));
    const failed = within.filter(({ status }) => status !== 200 && status !== 201);
    longest.push(Math.max(...within.map(({ ms }) => ms)));
    console.log(
      `${name.padEnd(55)} ${String(within.length).padStart(8)} ${String(failed.length).padStart(7)} ${Math.round(longest[n] ?? 0)} ms`,
    );
  }
  const failed = sent.filter(({ status }) => status !== 200 && status !== 201);
  const statuses = [...new Set(failed.map(({ kind, status }) => `${kind} ${status}`))].join(', ');
  if (failed.length > 0) broken.push(`${failed.length} requests failed: ${statuses}`);
  const rows = await query(
    DATABASE_URL,
    'SELECT name, count(*)::int AS times FROM external_task GROUP BY name',
  );
  const times = new Map(rows.map((row) => [row.name as string, row.times as number]));
  const pinned = new Set(
    (
      await query(
        DATABASE_URL,
        `SELECT s.feed_key::int AS key FROM feed_user_state s JOIN "user" u ON u.id = s.user_id WHERE u.login = 'user1' AND s.pinned`,
      )
    ).map(({ key }) => key as number),
  );
  const lost = [
    ...[...tasks].filter((name) => !times.has(name)),
    ...[...pins].filter(([key, on]) => pinned.has(key) !== on).map(([key]) => `pin ${key}`),
  ];
  if (lost.length > 0) broken.push(`${lost.length} writes were lost: ${lost.slice(0, 5).join()}`);
  const twice = [...times.values()].filter((count) => count > 1).length;
  if (twice > 0) broken.push(`${twice} tasks are there twice`);
  if (missed.length > 0)
    broken.push(`${missed.length} changes did not reach a stream: ${missed.slice(0, 5).join()}`);
  // Each was cut at least once.
  if (connections < 2 * STREAMS)
    broken.push(`streams made ${connections} connections: they did not resume`);
  const [base = 0, migrating = 0] = longest;
  if (migrating > LONGEST + base)
    broken.push(
      `a request took ${Math.round(migrating)} ms while the database was migrated, and ${Math.round(base)} before`,
    );
  if (done === undefined) broken.push('the steps were not done in two minutes');
  const [row] = await query(
    DATABASE_URL,
    `SELECT count(*) FILTER (WHERE ${added.column} IS NULL)::int AS empty, count(*)::int AS all,
       (SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('${added.index}')) AS valid,
       (SELECT batches::int FROM _migration_steps WHERE step = 'step-1-fill') AS batches FROM feed`,
  );
  if (row.empty > 0) broken.push(`${row.empty} of ${row.all} rows were not filled`);
  if (row.valid !== true) broken.push('the index is not there');
  const miscounted = await query(
    DATABASE_URL,
    `SELECT list, subject_id FROM (
       SELECT list, subject_id, -starts AS n FROM feed_count WHERE level = 'Y' UNION ALL SELECT list, subject_id, -n FROM feed_count_delta
       UNION ALL SELECT list, subject_id, 1 FROM feed_listing WHERE list >= 20) c GROUP BY list, subject_id HAVING sum(n) <> 0
     UNION ALL SELECT DISTINCT list, subject_id FROM (
       SELECT list, subject_id, shared, count(*) OVER (PARTITION BY feed_key, list % 10) > 1 AS several FROM feed_listing WHERE list BETWEEN 20 AND 39) l WHERE several AND NOT shared`,
  );
  for (const { list, subject_id } of miscounted)
    broken.push(`list ${list} of ${subject_id} has wrong counters or marks`);
  console.log(
    `\n${sent.length} requests, ${failed.length} failed; ${tasks.size + pins.size} writes checked, ${lost.length} lost, ${twice} twice; ${connections} connections of streams, ${missed.length} changes missed; ${row.all} rows filled in ${row.batches} batches`,
  );
  for (const line of broken) console.log(`  ✗ ${line}`);
  console.log(broken.length > 0 ? 'FAILED' : 'every promise kept');
  leave(broken.length > 0 ? 1 : 0);
}
