import type { Services } from '../core/context/context.ts';
import { startTrace } from '../core/context/telemetry.ts';
import { forgetExpired } from '../core/context/forget-expired.ts';
import { makeStatistics, refreshStatistics } from '../core/database/refresh-statistics.ts';
import { takeUpExports } from '../dataset-management/export/jobs/take-up-exports.ts';
import { takeUpImports } from '../dataset-management/annotation-import/jobs/take-up-imports.ts';
import { sweep } from '../dataset-management/sweep/sweep.ts';
import { takeUpVersions } from '../dataset-management/versions/freeze/run-next-version.ts';
import { checkPollingIntervals, markChangeLog } from '../task-execution/changes/keep-change-log.ts';
import { pruneChanges } from '../task-execution/changes/prune-changes.ts';
import { sweepOverdue } from '../task-execution/changes/sweep-overdue.ts';
import { foldFeedCounts } from '../task-execution/feeds/selection/fold-feed-counts.ts';
import { expireTasks } from '../task-tracker/tasks/expire-tasks.ts';

/** Work that runs by itself on every gateway: a job that must run only once takes a lock. */
export interface BackgroundJob {
  name: string;
  /** Milliseconds from the end of one run to the start of the next. */
  every: number;
  /** Milliseconds from the start of the gateway to the first run, if they are not as many. */
  first?: number;
  /** `stop` is aborted when the gateway stops: what takes long ends with its reason. */
  run(services: Services, stop: AbortSignal): Promise<unknown>;
}

/** All background jobs. */
export const jobs: readonly BackgroundJob[] = [
  { name: 'markChangeLog', first: 0, every: 1_000, run: markChangeLog },
  { name: 'sweepOverdue', first: 0, every: 60_000, run: sweepOverdue },
  { name: 'pruneChangeLog', first: 0, every: 3_600_000, run: pruneChanges },
  { name: 'checkPollingIntervals', first: 0, every: 86_400_000, run: checkPollingIntervals },
  { name: 'expireTasks', every: 20_000, run: expireTasks },
  { name: 'foldFeedCounts', every: 10_000, run: foldFeedCounts },
  { name: 'countUsage', every: 10_000, run: ({ usage }) => usage.flush() },
  { name: 'countRefusals', every: 10_000, run: ({ audit }) => audit.flush() },
  { name: 'takeUpExports', every: 5_000, run: takeUpExports },
  { name: 'takeUpImports', every: 5_000, run: takeUpImports },
  { name: 'takeUpVersions', every: 5_000, run: takeUpVersions },
  { name: 'tidyStaging', every: 240_000, run: ({ storage }) => storage.tidy() },
  { name: 'forgetExpired', every: 600_000, run: forgetExpired },
  { name: 'sweep', first: 900_000, every: 86_400_000, run: sweep },
  { name: 'makeStatistics', first: 1_000, every: 3_600_000, run: ({ db }) => makeStatistics(db) },
  {
    name: 'refreshStatistics',
    every: 15_000,
    run: async ({ db }) => (db.embedded ? refreshStatistics(db) : undefined),
  },
];

/** Names under which runs of background jobs are counted. */
export const jobNames: readonly string[] = jobs.map(({ name }) => name);

/**
 * Runs jobs until stopped; a failure is logged, and the job runs again at its next time. Stopping waits for running
 * jobs.
 */
export function startBackground(
  services: Services,
  list: readonly BackgroundJob[] = jobs,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const timers = new Set<NodeJS.Timeout>();
  const running = new Set<Promise<void>>();
  const run = async (job: BackgroundJob): Promise<void> => {
    const startedAt = performance.now();
    let failed = false;
    try {
      const trace = { ...startTrace('', 'background'), operation: job.name };
      await services.telemetry.run(trace, () => job.run(services, stopping.signal));
    } catch (error) {
      if (stopping.signal.aborted && error === stopping.signal.reason) return;
      failed = true;
      services.log.error({ err: error, job: job.name }, 'background job failed');
    }
    services.telemetry.job(job.name, performance.now() - startedAt, failed);
  };
  const schedule = (job: BackgroundJob, wait = job.every): void => {
    if (stopping.signal.aborted) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      const turn = run(job).finally(() => {
        running.delete(turn);
        schedule(job);
      });
      running.add(turn);
    }, wait);
    timers.add(timer);
  };
  for (const job of list) schedule(job, job.first);
  return {
    async stop() {
      stopping.abort();
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(running);
    },
  };
}
