import type { Services } from '../../src/core/context/context.ts';
import { askForPages } from '../check-bodies.ts';
import { contenders } from '../contenders.ts';
import { runLoad } from '../http-load.ts';
import { CONNECTIONS, median } from '../run-rounds.ts';
import type { ServerProcess } from '../server-process.ts';
import { makePages, makeViewers } from '../workload.ts';

const SIZE = 20;
const ROUNDS = 6;

/** Pages of 20 over REST from two gateways on one database, with half of the connections each, against one: how many times as many a second. The two ways take turns. */
export async function measureProcesses(
  services: Services,
  url: string,
): Promise<{ one: number; two: number; ratio: number }> {
  const rest = contenders.find(({ name }) => name === 'rest');
  if (!rest) throw new Error('no contender rest');
  const gateways: ServerProcess[] = [];
  try {
    for (let count = 0; count < 2; count++) gateways.push(await rest.start(url));
    const [first, second] = gateways;
    if (!first || !second) throw new Error('no gateways');
    const pages = makePages(await makeViewers(services), SIZE);
    const { requests } = await askForPages(rest, first.port, pages);
    await askForPages(rest, second.port, pages);
    const rate = async (
      gateway: ServerProcess,
      connections: number,
      seconds: number,
    ): Promise<number> => {
      const load = await runLoad(gateway.port, requests, connections, seconds);
      return load.requests / load.seconds;
    };
    const both = async (seconds: number): Promise<number> =>
      (
        await Promise.all(gateways.map((gateway) => rate(gateway, CONNECTIONS / 2, seconds)))
      ).reduce((sum, each) => sum + each, 0);
    await both(4);
    const rounds: { one: number; two: number }[] = [];
    for (let round = 0; round < ROUNDS; round++)
      rounds.push({ one: await rate(first, CONNECTIONS, 1), two: await both(1) });
    return {
      one: median(rounds.map(({ one }) => one)),
      two: median(rounds.map(({ two }) => two)),
      ratio: median(rounds.map(({ one, two }) => two / one)),
    };
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
  }
}
