import { askForPages, difference } from './check-bodies.ts';
import type { Contender, Json } from './contenders.ts';
import { runLoad } from './http-load.ts';
import type { Options } from './options.ts';
import type { ServerProcess } from './server-process.ts';
import { makePages, type UnitViewer } from './workload.ts';

export const CONNECTIONS = 16;

export interface Running {
  contender: Contender;
  server: ServerProcess;
}

/** What one contender did with one page size. */
export interface Measured {
  contender: Contender;
  size: number;
  /** Medians over the rounds. */
  perSecond: number;
  /** To the floor in the same round; undefined without a floor. */
  ratio: number | undefined;
  cpuMs: number | undefined;
  p50: number;
  p99: number;
}

interface Slot {
  perSecond: number;
  cpuMs: number | undefined;
  p50: number;
  p99: number;
}

/** Checks that all contenders answer alike, then lets them answer in turns, round by round. Throws when they differ. */
export async function runRounds(
  running: readonly Running[],
  viewers: readonly UnitViewer[],
  size: number,
  options: Options,
  say: (text: string) => void,
): Promise<Measured[]> {
  const pages = makePages(viewers, size);
  const requests = new Map<Running, Buffer[]>();
  let reference: { label: string; rows: Json[][] } | undefined;
  for (const entry of running) {
    const asked = await askForPages(entry.contender, entry.server.port, pages);
    requests.set(entry, asked.requests);
    reference ??= { label: entry.contender.label, rows: asked.rows };
    let different = difference(pages, reference.rows, asked.rows);
    // A feed may have become overdue in between.
    if (different)
      different = difference(
        pages,
        reference.rows,
        (await askForPages(entry.contender, entry.server.port, pages)).rows,
      );
    if (different)
      throw new Error(`${entry.contender.label} and ${reference.label} differ at ${different}`);
  }
  const values = reference?.rows.reduce((sum, rows) => sum + rows.length, 0) ?? 0;
  if (running.length > 1)
    say(`Pages of ${size}: ${pages.length} pages with ${values} feeds agree.`);

  const load = async (entry: Running, seconds: number): Promise<Slot> => {
    const before = entry.server.cpuMs();
    const result = await runLoad(
      entry.server.port,
      requests.get(entry) ?? [],
      CONNECTIONS,
      seconds,
    );
    const after = entry.server.cpuMs();
    const at = (share: number): number =>
      result.latencies[Math.floor(result.latencies.length * share)] ?? 0;
    return {
      perSecond: result.requests / result.seconds,
      cpuMs:
        before === undefined || after === undefined
          ? undefined
          : (after - before) / result.requests,
      p50: at(0.5),
      p99: at(0.99),
    };
  };
  // After the first size all programs are compiled.
  for (const entry of running)
    await load(
      entry,
      size === options.sizes[0] ? options.warmUpSeconds : options.warmUpSeconds / 4,
    );
  const slots = new Map<Running, Slot[]>(running.map((entry) => [entry, []]));
  for (let round = 0; round < options.rounds; round++) {
    const turn = [
      ...running.slice(round % running.length),
      ...running.slice(0, round % running.length),
    ];
    for (const entry of turn) {
      const slot = await load(entry, options.seconds);
      slots.get(entry)?.push(slot);
    }
  }
  const floor = slots.get(
    running.find(({ contender }) => contender.name === 'floor') ??
      ({ contender: undefined, server: undefined } as never),
  );
  return running.map((entry) => {
    const own = slots.get(entry) ?? [];
    const cpu = own.flatMap(({ cpuMs }) => cpuMs ?? []);
    return {
      contender: entry.contender,
      size,
      perSecond: median(own.map(({ perSecond }) => perSecond)),
      ratio:
        floor &&
        median(own.map(({ perSecond }, round) => perSecond / (floor[round]?.perSecond ?? NaN))),
      cpuMs: cpu.length > 0 ? median(cpu) : undefined,
      p50: median(own.map(({ p50 }) => p50)),
      p99: median(own.map(({ p99 }) => p99)),
    };
  });
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}
