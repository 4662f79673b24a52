import type { ChangeFollower } from '../../core/context/change-follower.ts';
import type { Services } from '../../core/context/context.ts';
import type { Cell } from '../../core/wire/wire.ts';
import { AppError } from '../../core/errors.ts';
import { CHANGES_CHANNEL, readLogHead } from '../change-log/change-log.ts';
import {
  rangesBeyond,
  transactionsBetween,
  type LogRange,
  type Snapshot,
} from '../change-log/change-position.ts';
import { Watches } from './watches.ts';

/** How often the log is looked at without a wake-up, and how often the sessions of the streams are, in milliseconds. */
const LOOK_EVERY = 2_000;
/** Least time between two looks, so that a burst of commits is read in few. */
const LOOK_PAUSE = 15;
/** Rows of the log that one statement reads. */
const PAGE = 2_000;
/** Streams of one session and of one process, at most. */
const MAX_PER_SESSION = 100;
const MAX_STREAMS = 10_000;

/** Follows the log for all streams of a process: one reader, woken by notifications, with a look every two seconds as a net. Idle while nobody watches. */
export function followChanges(services: Pick<Services, 'db' | 'clock' | 'log'>): ChangeFollower {
  const { db, log } = services;
  const watches = new Watches();
  let seen: Snapshot | undefined;
  let stop: (() => Promise<void>) | undefined;
  let closed = false;
  let looking: Promise<void> | undefined;
  let again = false;

  const look = async (): Promise<void> => {
    const { now } = await readLogHead(db);
    const from = seen;
    if (from === undefined || watches.size === 0) {
      seen = watches.size === 0 ? undefined : now;
      return;
    }
    // From here to the first await nobody can join: whoever is not among the domains begins to read later, and so sees `now`.
    const domains = watches.domains();
    const ranges = transactionsBetween(from, now);
    let [xid, seq] = [0, 0];
    while (ranges.length > 0) {
      const rows = await readRows(db, domains, rangesBeyond(ranges, { xid, seq }));
      await watches.deliver(db, rows, { from, to: now });
      const last = rows.at(-1);
      if (rows.length < PAGE || !last) break;
      [xid, seq] = [Number(last[0]), Number(last[1])];
    }
    seen = now;
  };

  const wake = (): void => {
    again = true;
    if (looking || closed) return;
    looking = (async () => {
      while (again && !closed) {
        again = false;
        try {
          await look();
        } catch (error) {
          if (!closed) log.warn({ err: error }, 'change log not read');
        }
        await new Promise((resolve) => setTimeout(resolve, LOOK_PAUSE));
      }
    })().finally(() => {
      looking = undefined;
      if (again) wake();
    });
  };

  const start = (): void => {
    if (stop) return;
    const stopListening = db.listen(CHANGES_CHANNEL, wake);
    let checking = false;
    const timer = setInterval(() => {
      if (watches.size === 0) return;
      wake();
      if (checking) return;
      checking = true;
      endSessions(services, watches)
        .catch((error: unknown) => log.warn({ err: error }, 'sessions of streams not checked'))
        .finally(() => (checking = false));
    }, LOOK_EVERY).unref();
    stop = async () => {
      clearInterval(timer);
      await stopListening();
    };
  };

  return {
    get open() {
      return watches.size;
    },
    async lag() {
      if (seen === undefined) return 0;
      const [low = 0, high = 0] = seen.split(':').map(Number);
      const [row] = await db.rows(
        `SELECT coalesce(extract(epoch FROM clock_timestamp() - min(c.changed_at)), 0) FROM domain d CROSS JOIN LATERAL (
           SELECT changed_at FROM change_log WHERE domain_id = d.id AND xid >= $1 AND NOT pg_visible_in_snapshot(xid::text::xid8, $2::pg_snapshot) ORDER BY xid, seq LIMIT 1) c`,
        [Math.min(low, high), seen],
      );
      return Math.max(0, Number(row?.[0] ?? 0));
    },
    async watch(watch) {
      if (closed || watches.size >= MAX_STREAMS)
        throw new AppError('E902', {
          message: 'This gateway takes no more streams',
          status: 503,
          headers: { 'retry-after': '5' },
        });
      if (watches.ofSession(watch.sessionId) >= MAX_PER_SESSION)
        throw new AppError('E902', {
          message: `A session may have ${MAX_PER_SESSION} open streams`,
        });
      start();
      watches.add(watch);
      try {
        if (seen === undefined) {
          const { now } = await readLogHead(db);
          seen ??= now;
        }
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
      await looking;
    },
  };
}

/** xid, seq, feed key, op, user, list, subject, confidential department, time. */
function readRows(
  db: Services['db'],
  domains: number[],
  ranges: readonly LogRange[],
): Promise<Cell[][]> {
  return db.rows(
    `SELECT c.xid, c.seq, c.feed_key, c.op, c.audience_user_id, c.list, c.subject_id, c.confidential_dept, c.changed_at
     FROM unnest($1::int[]) AS d (id) CROSS JOIN unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS r (low, after, high) CROSS JOIN LATERAL (
       SELECT * FROM change_log c WHERE c.domain_id = d.id AND (c.xid, c.seq) > (r.low, r.after) AND c.xid < r.high ORDER BY c.xid, c.seq LIMIT ${PAGE}) c
     ORDER BY c.xid, c.seq LIMIT ${PAGE}`,
    [
      domains,
      ranges.map((range) => range.low),
      ranges.map((range) => range.after),
      ranges.map((range) => range.high),
    ],
  );
}

/** Ends the streams whose session was revoked or has run out, or whose user is disabled. */
async function endSessions(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  watches: Watches,
): Promise<void> {
  const ids = watches.sessions();
  const rows = await db.rows(
    `SELECT s.id FROM session s JOIN "user" u ON u.id = s.user_id WHERE s.id = ANY ($1::uuid[]) AND s.revoked_at IS NULL AND s.expires_at > $2 AND s.absolute_expires_at > $2 AND u.disabled_at IS NULL`,
    [ids, new Date(clock()).toISOString()],
  );
  const alive = new Set(rows.map(([id]) => id));
  const asked = new Set(ids);
  for (const watch of watches.all())
    if (asked.has(watch.sessionId) && !alive.has(watch.sessionId)) watch.ended('SESSION_ENDED');
}
