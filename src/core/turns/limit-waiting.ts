/** So many wait already, or it has waited so long, that it was given up; it has not begun. */
export class BusyError extends Error {
  override name = 'BusyError';
}

export interface WaitingOptions {
  /** Jobs that run at once. */
  parallel: number;
  /** Jobs that wait at most; more are refused at once. Default: no limit. */
  waiting?: number;
  /** A job that has not begun after so many milliseconds is refused. Default: no limit. */
  waitMs?: number;
}

/** Runs jobs in turn. */
export interface Limit {
  /** Where jobs have owners, the next one is of who has the fewest running, of several in turn. */
  run: <T>(job: () => Promise<T>, owner?: number) => Promise<T>;
  /** Jobs that wait. */
  waiting(): number;
}

/** Lets some jobs run at once and some wait, those of one owner in order, for some time. The others throw BusyError. */
export function limitWaiting({ parallel, waiting = Infinity, waitMs }: WaitingOptions): Limit {
  // The first of two owners has waited longest since its last turn.
  const lines = new Map<number | undefined, Set<() => void>>();
  const running = new Map<number | undefined, number>();
  let [allWaiting, allRunning] = [0, 0];
  const runningOf = (owner: number | undefined): number => running.get(owner) ?? 0;
  const add = (owner: number | undefined, jobs: 1 | -1): void => {
    allRunning += jobs;
    const left = runningOf(owner) + jobs;
    if (left > 0) running.set(owner, left);
    else running.delete(owner);
  };
  const leave = (owner: number | undefined, begin: () => void): void => {
    allWaiting--;
    const line = lines.get(owner);
    line?.delete(begin);
    if (line?.size === 0) lines.delete(owner);
  };
  const turn = (owner: number | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      if (allWaiting >= waiting) return reject(new BusyError('too many jobs wait'));
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = (): void => {
        leave(owner, begin);
        reject(new BusyError('the job has waited too long'));
      };
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
      allWaiting++;
      const line = lines.get(owner);
      if (line) line.add(begin);
      else lines.set(owner, new Set([begin]));
    });
  const beginNext = (): void => {
    const [next] = [...lines.keys()].sort((a, b) => runningOf(a) - runningOf(b));
    const line = lines.get(next);
    const [begin] = line ?? [];
    if (!line || !begin) return;
    leave(next, begin);
    // It comes last now.
    if (lines.delete(next)) lines.set(next, line);
    add(next, 1);
    begin();
  };
  return {
    waiting: () => allWaiting,
    async run(job, owner) {
      if (allRunning < parallel) add(owner, 1);
      else await turn(owner);
      try {
        return await job();
      } finally {
        add(owner, -1);
        beginNext();
      }
    },
  };
}
