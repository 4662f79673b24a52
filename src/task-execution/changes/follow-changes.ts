import type { ChangeFollower } from '../../core/context/change-follower.ts';
import type { Services } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { CHANGES_CHANNEL, readLoggedSince, readLogHead } from '../change-log/change-log.ts';
import { lagBehind } from '../change-log/changes.sql.ts';
import { firstUnseen, type Snapshot } from '../change-log/change-position.ts';
import { RecentLogs } from './recent/recent-logs.ts';
import { Watches } from './watches.ts';
import { whenWoken } from './when-woken.ts';
import { endSessions } from './end-sessions.ts';

/**
 * How often the log is read without a notification, and how often the sessions of streams are checked, in milliseconds.
 */
const LOOK_EVERY = 2_000;
/** Minimum time between two reads, so that a burst of commits needs only a few. */
const LOOK_PAUSE = 4;
/** Minimum time between two checks of the sessions, which any sign-out asks for. */
const CHECK_PAUSE = 200;
/** What a notification says that tells of a revoked session, not of a change; a trigger sends it. */
const SESSION_REVOKED = 'session revoked';
/** Most streams per session, per user with all their sessions, per domain, and per process. */
const MAX_PER_SESSION = 100;
const MAX_PER_USER = 300;
const MAX_PER_DOMAIN = 9_000;
const MAX_STREAMS = 10_000;

/**
 * Follows the log for all streams of a process: one reader, woken by notifications, that also looks every two seconds
 * in case one is lost. Sessions that are revoked lose their streams in the same way. Idle while there are no streams.
 */
export function followChanges(services: Pick<Services, 'db' | 'clock' | 'log'>): ChangeFollower {
  const { db, log } = services;
  const watches = new Watches();
  const recent = new RecentLogs(db);
  let seen: Snapshot | undefined;
  let beginning: Promise<void> | undefined;
  let stop: (() => Promise<void>) | undefined;
  let closed = false;

  /** Streams are told what comes after this: whoever reads the head later than another one does not move it on. */
  const begin = async (): Promise<void> => {
    const { now } = await readLogHead(db, watches.domains());
    seen ??= now;
  };

  const look = async (): Promise<void> => {
    const domainIds = watches.domains();
    if (watches.size === 0) return;
    const from = seen;
    if (from === undefined) return begin();
    let to: Snapshot | undefined;
    for await (const { head, changes } of readLoggedSince(db, domainIds, from)) {
      // A stream of another domain began meanwhile: what was written there was not read.
      if (!to && watches.domains().some((id) => !domainIds.includes(id))) return look();
      to = head.now;
      watches.deliver(changes, { from, to });
    }
    seen = to;
  };

  const reporting = (work: () => Promise<void>, failure: string) => (): Promise<void> =>
    work().catch((error: unknown) => {
      if (!closed) log.warn({ err: error }, failure);
    });
  const looks = whenWoken(reporting(look, 'change log not read'), LOOK_PAUSE);
  const checks = whenWoken(
    reporting(
      () => endSessions(services, watches),
      'could not check whether the sessions of subscriptions are still valid',
    ),
    CHECK_PAUSE,
  );

  const start = (): void => {
    if (stop) return;
    const stopListening = db.notifications.listen(CHANGES_CHANNEL, (text) => {
      // After a lost connection it may be another server, which gives numbers of transactions again.
      if (text === undefined) recent.forget();
      if (text === SESSION_REVOKED) checks.wake();
      else looks.wake();
    });
    const timer = setInterval(() => {
      if (watches.size === 0) return;
      looks.wake();
      checks.wake();
    }, LOOK_EVERY).unref();
    stop = async () => {
      clearInterval(timer);
      await stopListening();
    };
  };

  return {
    endSessions: () => endSessions(services, watches),
    get open() {
      return watches.size;
    },
    async lag() {
      if (seen === undefined || watches.size === 0) return 0;
      const lag = await lagBehind.first(db, { low: firstUnseen(seen), seen });
      return Math.max(0, lag?.seconds ?? 0);
    },
    recent(domainId) {
      if (!closed) start();
      return recent.upToNow(domainId);
    },
    known: (domainId) => recent.known(domainId),
    async watch(watch) {
      if (
        closed ||
        watches.size >= MAX_STREAMS ||
        watches.ofDomain(watch.domainId) >= MAX_PER_DOMAIN
      )
        throw new AppError('E902', {
          message: 'This gateway takes no more streams',
          status: 503,
          headers: { 'retry-after': closed ? '1' : '5' },
        });
      if (watches.ofSession(watch.sessionId) >= MAX_PER_SESSION)
        throw new AppError('E902', {
          message: `A session may have ${MAX_PER_SESSION} open streams`,
        });
      if (watches.ofUser(watch.userId) >= MAX_PER_USER)
        throw new AppError('E902', {
          message: `A user may have ${MAX_PER_USER} open streams`,
        });
      start();
      // Nobody was told what came since the last stream ended.
      if (watches.size === 0) seen = undefined;
      watches.add(watch);
      try {
        // Once for all that come meanwhile: it may be thousands.
        if (seen === undefined)
          await (beginning ??= begin().finally(() => (beginning = undefined)));
      } catch (error) {
        watches.remove(watch);
        throw error;
      }
      return () => watches.remove(watch);
    },
    async close() {
      closed = true;
      for (const watch of watches.all()) watch.ended('SHUTDOWN');
      await stop?.();
      await looks.close();
      await checks.close();
    },
  };
}
