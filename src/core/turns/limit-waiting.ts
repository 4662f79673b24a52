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
  run: <T>(job: () => Promise<T>) => Promise<T>;
  /** Jobs that wait. */
  waiting(): number;
}

/** Lets some jobs run at once and some wait, in order, for some time. The others throw BusyError. */
export function limitWaiting({ parallel, waiting = Infinity, waitMs }: WaitingOptions): Limit {
  const line: (() => void)[] = [];
  let running = 0;
  const turn = (): Promise<void> =>
    new Promise((resolve, reject) => {
      if (line.length >= waiting) return reject(new BusyError('too many jobs wait'));
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = (): void => {
        line.splice(line.indexOf(begin), 1);
        reject(new BusyError('the job has waited too long'));
      };
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
      line.push(begin);
    });
  return {
    waiting: () => line.length,
    async run(job) {
      if (running < parallel) running++;
      else await turn();
      try {
        return await job();
      } finally {
        const next = line.shift();
        if (next) next();
        else running--;
      }
    },
  };
}
