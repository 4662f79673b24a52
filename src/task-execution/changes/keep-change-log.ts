import type { Services } from '../../core/context/context.ts';
import { startTrace } from '../../core/context/telemetry.ts';
import { stepsOf } from './clock-steps.ts';
import { checkLog, markLog, pollingIntervals } from './keep-changes.sql.ts';
import { pruneChanges } from './prune-changes.ts';
import { sweepOverdue } from './sweep-overdue.ts';

const SECOND = 1_000;
const MARK_PAUSE = SECOND;
const SWEEP_PAUSE = 60 * SECOND;
const PRUNE_PAUSE = 3_600 * SECOND;

/** Names under which runs of these jobs are counted. */
export const changeLogJobs = ['markChangeLog', 'sweepOverdue', 'pruneChangeLog'] as const;

/**
 * Maintains the log in the background: records a mark each second while it grows, sweeps each minute, prunes each hour.
 * Every gateway does; locks in the database guard what must be done only once. Returns the function that stops it.
 */
export function keepChangeLog(services: Services): () => Promise<void> {
  const jobs = [
    every(services, {
      pause: MARK_PAUSE,
      name: 'markChangeLog',
      failure: 'change log not marked',
      work: () => {
        stepsOf(services.clock).look();
        return markLog.rows(services.db, {});
      },
    }),
    every(services, {
      pause: SWEEP_PAUSE,
      name: 'sweepOverdue',
      failure: 'overdue feeds not swept',
      work: () => sweepOverdue(services),
    }),
    every(services, {
      pause: PRUNE_PAUSE,
      name: 'pruneChangeLog',
      failure: 'change log not pruned',
      work: () => pruneChanges(services),
    }),
  ];
  // Not before the gateway listens: it only warns, and Prisma takes a third of a second to load.
  const checked = checkPollingIntervals(services).catch((error: unknown) =>
    services.log.warn({ err: error }, 'polling intervals not checked'),
  );
  return async () => {
    await Promise.all([checked, ...jobs.map((stop) => stop())]);
  };
}

/** A repeated job. */
interface Job {
  /** The time from its end to its next start, in milliseconds. */
  pause: number;
  name: (typeof changeLogJobs)[number];
  /** Log message for a failure. */
  failure: string;
  work: () => Promise<unknown>;
}

function every(services: Services, { pause, name, failure, work }: Job): () => Promise<void> {
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const run = (): void => {
    const startedAt = performance.now();
    const done = (failed: boolean): void =>
      services.telemetry.job(name, performance.now() - startedAt, failed);
    const trace = { ...startTrace('', 'background'), operation: name };
    running = services.telemetry
      .run(trace, work)
      .then(
        () => done(false),
        (error: unknown) => {
          done(true);
          if (!stopped) services.log.warn({ err: error }, failure);
        },
      )
      .then(() => {
        if (!stopped) timer = setTimeout(run, pause).unref();
      });
  };
  run();
  return () => {
    stopped = true;
    clearTimeout(timer);
    return running;
  };
}

/**
 * Makes the log fit this database: one from a dump or backup contains transaction numbers of another database, or such as
 * are given again, so a new one is started and old positions are refused.
 */
export async function checkChangeLog(services: Services): Promise<void> {
  if ((await checkLog.first(services.db, {}))?.isNew)
    services.log.warn('the database was restored: its change log starts anew');
}

/** Logs a warning if the configured polling interval is too long for the maximum refresh interval (D-40). */
async function checkPollingIntervals(services: Services): Promise<void> {
  const fallback = services.config.maxRefreshIntervalMs;
  for (const { scope, scopeId, rate, longest } of await pollingIntervals.rows(services.db, {})) {
    const interval = Number(longest ?? fallback);
    if (Number(rate) * 2 <= interval) continue;
    services.log.warn(
      `feed_refresh_rate of ${scope} ${scopeId} is ${String(rate)} ms: MAX_REFRESH_INTERVAL_MS (${interval}) should be at least twice as long, or clients that poll at that rate get E116`,
    );
  }
}
