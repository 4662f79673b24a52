import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chooseContenders } from './contenders.ts';
import { openLoaded, PEER_SCHEMA, Refusal } from './data/load.ts';
import { readOptions, USAGE, type Options } from './options.ts';
import { pagesTable, ratios } from './report.ts';
import { runFurther } from './further/run-further.ts';
import { runMixed } from './mixed/run-mixed.ts';
import { runRounds, type Measured, type Running } from './run-rounds.ts';
import { makeViewers } from './workload.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(options: Options): Promise<void> {
  if (
    options.contenders.some(
      (name) => name.startsWith('postgraphile') || name.startsWith('mercurius'),
    )
  )
    installPeers();
  const services = await openLoaded(options.url, options.rows, say);
  if (options.mixed) {
    await services.db.close();
    write({ mixed: await runMixed(options.url, say) });
    return;
  }
  const started = performance.now();
  const running: Running[] = [];
  const measured: Measured[] = [];
  const result: Record<string, unknown> = {};
  try {
    await services.db.pool.query('DELETE FROM session');
    const viewers = await makeViewers(services);
    const wanted = chooseContenders(options.contenders, options.before);
    const failures: unknown[] = [];
    // All at once: none is timed before all are up.
    for (const start of await Promise.allSettled(
      wanted.map(async (contender) => ({ contender, server: await contender.start(options.url) })),
    )) {
      if (start.status === 'fulfilled') running.push(start.value);
      else failures.push(start.reason);
    }
    if (failures.length > 0) throw failures[0];
    for (const size of running.length > 0 ? options.sizes : [])
      measured.push(...(await runRounds(running, viewers, size, options, say)));
    if (measured.length > 0) say(`\n${pagesTable(measured)}\n`);
    result['pages'] = measured.map(({ contender, ...rest }) => ({
      contender: contender.name,
      ...rest,
    }));
    const memory = running.map(
      ({ contender, server }) => [contender.name, server.memory()] as const,
    );
    result['memory'] = Object.fromEntries(memory);
    if (memory.length > 0)
      say(
        `Resident memory after the load, and at most, MB: ${memory.map(([name, used]) => `${name} ${used?.now ?? '–'}/${used?.peak ?? '–'}`).join(', ')}.\n`,
      );
    await stopAll(running);
    if (options.further)
      result['further'] = await runFurther(services, options.url, options.rows, say);
  } finally {
    await stopAll(running);
    await services.db.pool.query(`DROP SCHEMA IF EXISTS ${PEER_SCHEMA} CASCADE`);
    await services.db.close();
  }
  write(result);
  say(
    `Took ${Math.round((performance.now() - started) / 1000)} s. All figures: bench/last-run.json`,
  );
  say(JSON.stringify(ratios(measured)));
}

function write(result: object): void {
  writeFileSync(`${folder}last-run.json`, `${JSON.stringify(result, null, 2)}\n`);
}

async function stopAll(running: Running[]): Promise<void> {
  await Promise.all(running.splice(0).map(({ server }) => server.stop()));
}

/** Installs what Trivium is compared with, when a package is missing or another version than package.json says. The other contenders use Trivium's own packages. */
function installPeers(): void {
  const manifest = (file: string): { version?: string; dependencies?: Record<string, string> } =>
    existsSync(file)
      ? (JSON.parse(readFileSync(file, 'utf8')) as {
          version?: string;
          dependencies?: Record<string, string>;
        })
      : {};
  const wanted = Object.entries(manifest(`${folder}package.json`).dependencies ?? {});
  if (
    wanted.every(
      ([name, version]) =>
        manifest(`${folder}node_modules/${name}/package.json`).version === version,
    )
  )
    return;
  say('Installs the peers (npm ci --prefix bench).');
  execFileSync(
    'npm',
    ['ci', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel', 'error'],
    { stdio: 'inherit' },
  );
}

try {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === 'help') say(USAGE);
  else await main(options);
} catch (error) {
  process.stderr.write(
    `${error instanceof Refusal ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 1;
}
