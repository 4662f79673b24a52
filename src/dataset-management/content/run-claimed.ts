import type { Services } from '../../core/context/context.ts';
import { isPassing } from '../../core/failures/to-app-error.ts';

/** How often a gateway says that it still runs a job, in milliseconds. */
const RENEW_MS = 1_000;
/** A job whose gateway died, or lost its database or storage, this often is not tried again. */
const MOST_ATTEMPTS = 3;

/** A job that this gateway has claimed. */
interface ClaimedJob {
  /** What it is, in words of the log. */
  kind: string;
  /** How the log names it. */
  logged: object;
  attempts: number;
  /** Says that this gateway still runs it; false when it no longer belongs to this gateway. */
  renew: () => Promise<boolean>;
}

/**
 * Runs a job, and renews its claim until it is over. `stop` is aborted when the job no longer belongs to this gateway: then
 * there is nothing left to do. `fail` ends a job that has failed; where database or storage were only away, its claim lapses
 * soon, and a gateway begins it again.
 */
export async function runClaimed(
  { log }: Pick<Services, 'log'>,
  { kind, logged, attempts, renew }: ClaimedJob,
  run: (stop: AbortController) => Promise<void>,
  fail: (error: unknown) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const look = async (): Promise<void> => {
    if (!(await renew())) stop.abort();
  };
  const renewal = setInterval(() => void look().catch(() => undefined), RENEW_MS);
  try {
    await run(stop);
  } catch (error) {
    if (stop.signal.aborted) return;
    if (isPassing(error) && attempts < MOST_ATTEMPTS)
      return log.warn({ err: error, ...logged }, `${kind} interrupted: it begins again`);
    await fail(error);
  } finally {
    clearInterval(renewal);
  }
}

/** Throws for a job that was tried too often. */
export function checkAttempts({ attempts }: { attempts: number }): void {
  if (attempts > MOST_ATTEMPTS)
    throw new Error(`gave up after ${MOST_ATTEMPTS} attempts that did not finish`);
}
