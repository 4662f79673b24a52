import type { Services } from '../../src/core/context/context.ts';
import { startGateway } from '../contenders.ts';
import { CONNECTIONS } from '../run-rounds.ts';
import { measureDepth } from './measure-depth.ts';
import { measureFirstStart } from './measure-first-start.ts';
import { measureGrowth } from './measure-growth.ts';
import { makeListTarget } from './measure-lists.ts';
import { measureProcesses } from './measure-processes.ts';
import { ms } from './time-in-turn.ts';

const smallerThan = (rows: number): number[] => [10_000, 100_000].filter((size) => size < rows);

/** Everything besides the pages: depth, counts, growth, first start. Prints tables and returns the figures. */
export async function runFurther(
  services: Services,
  url: string,
  rows: number,
  say: (text: string) => void,
): Promise<object> {
  const gateway = await startGateway({ DATABASE_URL: url });
  try {
    say(
      `Depth: REST, the list of one department, latency of one request at a time (a load of ${CONNECTIONS} connections says nothing about depth).`,
    );
    const depth = await measureDepth(services, gateway.port, 1.5);
    say(`\n${depth.table}\n`);
    const growth = await measureGrowth(
      url,
      smallerThan(rows),
      await makeListTarget(services, gateway.port, rows),
      3,
      say,
    );
    say(`Growth: REST, latency of one request at a time.\n\n${growth.table}\n`);
    const memory = gateway.memory();
    const processes = await measureProcesses(services, url);
    say(
      `Two gateway processes against one, ${CONNECTIONS} connections in all, pages of 20 over REST: ${processes.two.toFixed(0)}/s against ${processes.one.toFixed(0)}/s, ratio ${processes.ratio.toFixed(2)}.\n`,
    );
    const firstStart = await measureFirstStart();
    say(
      `Start of a gateway on this database: ${ms(gateway.startMs)}; first start of the embedded one, with its demo data: ${ms(firstStart)}.`,
    );
    return {
      depth: depth.figures,
      growth: growth.figures,
      processes,
      firstStart,
      start: gateway.startMs,
      memory,
    };
  } finally {
    await gateway.stop();
  }
}
