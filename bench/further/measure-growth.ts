import pg from 'pg';
import type { Services } from '../../src/core/context/context.ts';
import { startGateway } from '../contenders.ts';
import { openLoaded, Refusal } from '../data/load.ts';
import { UNITS } from '../data/records.ts';
import { table } from '../report.ts';
import type { ServerProcess } from '../server-process.ts';
import { makeListTarget, measureLists, type ListTarget } from './measure-lists.ts';
import { ms } from './time-in-turn.ts';

/** How the cost of lists grows with the rows. The smaller databases are made beside the one given, with the number of rows behind its name. */
export async function measureGrowth(
  url: string,
  smaller: readonly number[],
  largest: ListTarget,
  seconds: number,
  say: (text: string) => void,
): Promise<{ table: string; figures: object }> {
  const started: ServerProcess[] = [];
  const opened: Services[] = [];
  try {
    const targets: ListTarget[] = [];
    for (const rows of smaller) {
      const found = await besideUrl(url, rows, say);
      const services = await openLoaded(found, rows, say);
      opened.push(services);
      const gateway = await startGateway({ DATABASE_URL: found });
      started.push(gateway);
      targets.push(await makeListTarget(services, gateway.port, rows));
    }
    targets.push(largest);
    const measured = await measureLists(targets, seconds);
    const head = [
      'feeds (in a unit)',
      ...targets.map(
        ({ rows }) => `${rows.toLocaleString('en')} (${(rows / UNITS).toLocaleString('en')})`,
      ),
    ];
    const lines = [...measured].map(([operation, medians]) => [
      operation,
      ...medians.map((value) => (value === undefined ? '–' : ms(value))),
    ]);
    return {
      table: table(head, lines),
      figures: { rows: targets.map(({ rows }) => rows), ...Object.fromEntries(measured) },
    };
  } finally {
    await Promise.all(started.map((gateway) => gateway.stop()));
    await Promise.all(opened.map((services) => services.db.close()));
  }
}

/** The URL of the database for this many rows, which is created when it is missing. */
async function besideUrl(url: string, rows: number, say: (text: string) => void): Promise<string> {
  const found = new URL(url);
  const name = `${decodeURIComponent(found.pathname.slice(1))}_${rows}`;
  found.pathname = `/${encodeURIComponent(name)}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: known } = await client.query('SELECT FROM pg_database WHERE datname = $1', [
      name,
    ]);
    if (known.length === 0) {
      say(`Creates the database ${name}.`);
      await client
        .query(`CREATE DATABASE ${client.escapeIdentifier(name)}`)
        .catch((error: unknown) => {
          throw new Refusal(
            `The table of growth needs a database ${name}, which can't be created: ${String(error)}`,
          );
        });
    }
  } finally {
    await client.end();
  }
  return found.href;
}
