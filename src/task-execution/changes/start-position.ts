import * as z from 'zod';
import type { RecentChanges } from '../../core/context/change-follower.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { readConfiguration, type Configuration } from '../configuration/read-configuration.ts';
import type { LogHead } from '../change-log/change-log.ts';
import { markOfAge } from '../change-log/changes.sql.ts';
import { stepsOf } from './clock-steps.ts';
import {
  decodeChangeCursor,
  firstUnseen,
  snapshotBefore,
  type ChangePosition,
} from '../change-log/change-position.ts';

/** The clocks of gateways may differ by this much, in milliseconds, without a change being missed (D-41). */
export const OVERLAP = 5_000;
/** Milliseconds between polls, if not configured. */
const DEFAULT_REFRESH_RATE = 60_000;

/** Where to continue: after a cursor, or from an instant in epoch milliseconds; 0 is the first fetch (D-40). */
export type ChangesSince = { cursor: string } | { fromTime: number };

/** Why continuing is impossible: the client has to load its list again. */
export interface Resync {
  reason: string;
}

/** The position from which a client wants to continue. Throws E901 for a malformed cursor. */
export async function findStart(
  ctx: SignedInContext,
  since: ChangesSince,
  recent: RecentChanges,
): Promise<ChangePosition | Resync> {
  return 'cursor' in since
    ? startAtCursor(since.cursor, recent.head)
    : startAtTime(ctx, since.fromTime, recent);
}

function startAtCursor(cursor: string, head: LogHead): ChangePosition | Resync {
  const { logId, position } = decodeChangeCursor(cursor);
  if (logId !== head.logId)
    return { reason: 'The position belongs to another change log: reload with list' };
  if (firstUnseen(position.from) < head.horizonXid)
    return { reason: 'The position is older than the change log: reload with list' };
  return position;
}

/**
 * The last mark before the instant, of this gateway or in the database, says what a client had seen at that time. Uses
 * its age instead of the instant, so that only the clock that recorded the marks matters. If this gateway's clock was
 * set back since, the age is that of the first time that it told the instant.
 */
async function startAtTime(
  ctx: SignedInContext,
  fromTime: number,
  { head, before }: RecentChanges,
): Promise<ChangePosition | Resync> {
  const { maxRefreshInterval } = await readRefreshSettings(ctx);
  const now = ctx.clock();
  if (fromTime !== 0 && fromTime < now - maxRefreshInterval)
    return { reason: 'from_time is older than the maximum refresh interval: reload with list' };
  const told = fromTime === 0 ? undefined : stepsOf(ctx.clock).ageBeforeStep(fromTime);
  if (fromTime > now && told === undefined) return { from: head.now };
  const age = (fromTime === 0 ? maxRefreshInterval : Math.max(now - fromTime, told ?? 0)) + OVERLAP;
  const known = before(age);
  if (known !== undefined && firstUnseen(known) >= head.horizonXid) return { from: known };
  const mark = await markOfAge.first(ctx.db, { age, domainId: ctx.viewer.domainId });
  if (mark?.hasComeSince && fromTime !== 0)
    return { reason: 'The domain has been moved since from_time: reload with list' };
  if (mark?.snapshot != null && firstUnseen(mark.snapshot) >= head.horizonXid)
    return { from: mark.snapshot };
  if (mark?.isYounger && fromTime !== 0)
    return { reason: 'from_time is older than the change log: reload with list' };
  return { from: snapshotBefore(head.horizonXid) };
}

const milliseconds = z.number().int().positive();

interface RefreshSettings {
  feedRefreshRate: number;
  maxRefreshInterval: number;
}

const parsed = new WeakMap<Configuration, RefreshSettings>();

/** How often the viewer should poll, and how long it may pause, in milliseconds. */
export async function readRefreshSettings(ctx: SignedInContext): Promise<RefreshSettings> {
  const configuration = await readConfiguration(ctx);
  let settings = parsed.get(configuration);
  if (!settings) {
    const read = (key: string, otherwise: number): number =>
      milliseconds.catch(otherwise).parse(configuration.get(key)?.value);
    settings = {
      feedRefreshRate: read('feed_refresh_rate', DEFAULT_REFRESH_RATE),
      maxRefreshInterval: read('max_refresh_interval', ctx.config.maxRefreshIntervalMs),
    };
    parsed.set(configuration, settings);
  }
  return settings;
}
