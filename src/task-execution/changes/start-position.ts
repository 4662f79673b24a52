import { z } from 'zod';
import type { SignedInContext } from '../../core/context/context.ts';
import { readConfiguration } from '../configuration/read-configuration.ts';
import type { LogHead } from '../change-log/change-log.ts';
import {
  decodeChangeCursor,
  firstUnseen,
  snapshotBefore,
  type ChangePosition,
} from '../change-log/change-position.ts';

/** Clocks of gateways may differ by this much, in milliseconds, without a change being missed (D-41). */
const OVERLAP = 5_000;
/** Milliseconds between polls where nothing is configured. */
const DEFAULT_REFRESH_RATE = 60_000;

/** Where to read on: after a cursor, or from an instant in epoch milliseconds; 0 is the first fetch (D-40). */
export type ChangesSince = { cursor: string } | { fromTime: number };

/** Why reading on is impossible: the client has to load its list anew. */
export interface Resync {
  reason: string;
}

/** Translates where a client wants to read on into a position. Throws E901 for a damaged cursor. */
export async function findStart(
  ctx: SignedInContext,
  since: ChangesSince,
  head: LogHead,
): Promise<ChangePosition | Resync> {
  return 'cursor' in since
    ? startAtCursor(since.cursor, head)
    : startAtTime(ctx, since.fromTime, head);
}

function startAtCursor(cursor: string, head: LogHead): ChangePosition | Resync {
  const { logId, position } = decodeChangeCursor(cursor);
  if (logId !== head.logId)
    return { reason: 'The position belongs to another change log: reload with list' };
  if (firstUnseen(position.from) < head.horizonXid)
    return { reason: 'The position is older than the change log: reload with list' };
  return position;
}

/** The last mark before the instant tells what a client that asked then had seen. The age counts and not the instant, so that it is measured by the clock that wrote the marks. */
async function startAtTime(
  ctx: SignedInContext,
  fromTime: number,
  head: LogHead,
): Promise<ChangePosition | Resync> {
  const { maxRefreshInterval } = await readRefreshSettings(ctx);
  const now = ctx.clock();
  if (fromTime !== 0 && fromTime < now - maxRefreshInterval)
    return { reason: 'from_time is older than the maximum refresh interval: reload with list' };
  if (fromTime > now) return { from: head.now };
  const age = (fromTime === 0 ? maxRefreshInterval : now - fromTime) + OVERLAP;
  const [row] = await ctx.db.rows(
    `WITH t AS (SELECT clock_timestamp() - $1::bigint * interval '1 millisecond' AS at)
     SELECT (SELECT m.snapshot FROM change_mark m, t WHERE m.at <= t.at ORDER BY m.at DESC, m.id DESC LIMIT 1), coalesce(s.started_at > t.at, false) FROM t, change_log_state s`,
    [age],
  );
  const [snapshot, startedLater] = row ?? [];
  if (snapshot != null && firstUnseen(snapshot) >= head.horizonXid) return { from: snapshot };
  if (startedLater === 't' && fromTime !== 0)
    return { reason: 'from_time is older than the change log: reload with list' };
  return { from: snapshotBefore(head.horizonXid) };
}

const milliseconds = z.number().int().positive();

/** How often the viewer shall poll, and how long it may pause, in milliseconds. */
export async function readRefreshSettings(
  ctx: SignedInContext,
): Promise<{ feedRefreshRate: number; maxRefreshInterval: number }> {
  const configuration = await readConfiguration(ctx);
  return {
    feedRefreshRate: milliseconds
      .catch(DEFAULT_REFRESH_RATE)
      .parse(configuration.get('feed_refresh_rate')?.value),
    maxRefreshInterval: milliseconds
      .catch(ctx.config.maxRefreshIntervalMs)
      .parse(configuration.get('max_refresh_interval')?.value),
  };
}
