import type { Services } from '../../core/context/context.ts';
import { startTrace } from '../../core/context/telemetry.ts';
import { pruneChanges } from './prune-changes.ts';
import { sweepOverdue } from './sweep-overdue.ts';

const SECOND = 1_000;
const MARK_EVERY = SECOND;
const SWEEP_EVERY = 60 * SECOND;
const PRUNE_EVERY = 3_600 * SECOND;

/** Names under which the turns of its jobs are counted. */
export const changeLogJobs = ['markChangeLog', 'sweepOverdue', 'pruneChangeLog'] as const;

/** Keeps the log in the background: marks each second while it grows, sweeps each minute, prunes each hour. Every gateway does; what must be done once is guarded in the database. Returns how to stop. */
export function keepChangeLog(services: Services): () => Promise<void> {
  const jobs = [
    every(services, {
      pause: MARK_EVERY,
      name: 'markChangeLog',
      failure: 'change log not marked',
      work: () => services.db.rows('SELECT change_log_mark()', []),
    }),
    every(services, {
      pause: SWEEP_EVERY,
      name: 'sweepOverdue',
      failure: 'overdue feeds not swept',
      work: () => sweepOverdue(services),
    }),
    every(services, {
      pause: PRUNE_EVERY,
      name: 'pruneChangeLog',
      failure: 'change log not pruned',
      work: () => pruneChanges(services),
    }),
  ];
  return async () => {
    await Promise.all(jobs.map((stop) => stop()));
  };
}

/** What is done again and again, so many milliseconds after it was done. */
interface Job {
  pause: number;
  name: (typeof changeLogJobs)[number];
  /** What the log says when it fails. */
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
 * Makes the log fit this server: one that came with a restored dump holds transaction numbers of another server, so it starts anew and old positions are refused.
 * Warns where clients are told to poll too seldom for the maximum refresh interval (D-40).
 */
export async function checkChangeLog(services: Services): Promise<void> {
  const [reset] = await services.db.rows('SELECT change_log_check()', []);
  if (reset?.[0] === 't')
    services.log.warn('the change log was written by another database server: it starts anew');
  const rows = await services.db.rows(
    `SELECT r.scope, r.scope_id, r.value::text, m.value::text FROM config_entry r
     LEFT JOIN config_entry m ON m.key = 'max_refresh_interval' AND m.scope = 'DOMAIN' AND r.scope = 'DOMAIN' AND m.scope_id = r.scope_id WHERE r.key = 'feed_refresh_rate'`,
    [],
  );
  for (const [scope, scopeId, rate, own] of rows) {
    const interval = Number(own ?? services.config.maxRefreshIntervalMs);
    if (Number(rate) * 2 <= interval) continue;
    services.log.warn(
      `feed_refresh_rate of ${scope} ${scopeId} is ${rate} ms: MAX_REFRESH_INTERVAL_MS (${interval}) should be at least twice as long, or clients that poll at that rate get E116`,
    );
  }
}
