import type { Services } from '../../core/context/context.ts';
import { stepsOf } from './clock-steps.ts';
import { checkLog, markLog, pollingIntervals } from './keep-changes.sql.ts';

/** Records which changes the log has now. */
export function markChangeLog({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<unknown> {
  stepsOf(clock).look();
  return markLog.rows(db, {});
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
export async function checkPollingIntervals(services: Services): Promise<void> {
  const fallback = services.config.maxRefreshIntervalMs;
  for (const { scope, scopeId, rate, longest } of await pollingIntervals.rows(services.db, {})) {
    const interval = Number(longest ?? fallback);
    if (Number(rate) * 2 <= interval) continue;
    services.log.warn(
      `feed_refresh_rate of ${scope} ${scopeId} is ${String(rate)} ms: MAX_REFRESH_INTERVAL_MS (${interval}) should be at least twice as long, or clients that poll at that rate get E116`,
    );
  }
}
