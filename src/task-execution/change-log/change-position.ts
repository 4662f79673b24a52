import { AppError } from '../../core/errors.ts';

/** The transactions that had committed at one moment: `xmin:xmax:xid,xid…`, as PostgreSQL prints a pg_snapshot. */
export type Snapshot = string;

/**
 * A position in the change log: everything that `from` does not see comes after it. Within a batch up to `to`, what is
 * beyond (xid, seq) comes after it, and then everything that `to` does not see. So a long transaction is neither missed
 * nor delays others.
 */
export type ChangePosition =
  { from: Snapshot } | { from: Snapshot; to: Snapshot; xid: number; seq: number };

interface ParsedSnapshot {
  /** Transactions from this one on are not seen. */
  end: number;
  /** Transactions below `end` that were still open, and so are not seen either. */
  open: ReadonlySet<number>;
}

const SNAPSHOT = /^(\d{1,16}):(\d{1,16}):((?:\d{1,16}(?:,\d{1,16}){0,999})?)$/;

function parse(snapshot: Snapshot): ParsedSnapshot {
  const [, , end = '0', open = ''] = SNAPSHOT.exec(snapshot) ?? [];
  return { end: Number(end), open: new Set(open === '' ? [] : open.split(',').map(Number)) };
}

/** The lowest transaction that a snapshot does not see. */
export function firstUnseen(snapshot: Snapshot): number {
  const { end, open } = parse(snapshot);
  return Math.min(end, ...open);
}

/** The snapshot that sees exactly the transactions below this one. */
export function snapshotBefore(xid: number): Snapshot {
  return `${xid}:${xid}:`;
}

/** What a snapshot sees up to this transaction. */
export function seenUpTo(snapshot: Snapshot, last: number): Snapshot {
  const { end, open } = parse(snapshot);
  if (end <= last + 1) return snapshot;
  const below = [...open].filter((xid) => xid <= last);
  return `${Math.min(last + 1, ...below)}:${last + 1}:${below.join()}`;
}

/** The transactions that `to` sees and `from` does not, as half-open ranges in ascending order. */
export function transactionsBetween(from: Snapshot, to: Snapshot): { low: number; high: number }[] {
  const [a, b] = [parse(from), parse(to)];
  const ended = [...a.open]
    .filter((xid) => xid < b.end && !b.open.has(xid))
    .map((xid) => ({ low: xid, high: xid + 1 }));
  const ranges: { low: number; high: number }[] = [];
  let low = a.end;
  for (const xid of [...b.open].filter((open) => open >= a.end).sort((x, y) => x - y)) {
    if (xid > low) ranges.push({ low, high: xid });
    low = xid + 1;
  }
  if (b.end > low) ranges.push({ low, high: b.end });
  return [...ended, ...ranges].sort((x, y) => x.low - y.low);
}

/** Does a snapshot see all that the other sees? */
export function sees(snapshot: Snapshot, other: Snapshot): boolean {
  return transactionsBetween(snapshot, other).length === 0;
}

/** What a client at this position may have seen already. */
export function endOf(position: ChangePosition): Snapshot {
  return 'to' in position ? position.to : position.from;
}

/** The transactions that a snapshot does not see, as half-open ranges in ascending order. */
export function transactionsSince(from: Snapshot): { low: number; high: number }[] {
  return transactionsBetween(from, snapshotBefore(Number.MAX_SAFE_INTEGER));
}

/** Transactions of the log: those below `high`, after the change `after` of `low`. */
export interface LogRange {
  low: number;
  after: number;
  high: number;
}

/**
 * The part of the ranges after a change, by default all of it. Each result has exactly one lower bound: given two,
 * PostgreSQL may choose the lower one and read the log from there.
 */
export function rangesBeyond(
  ranges: readonly { low: number; high: number }[],
  { xid, seq }: { xid: number; seq: number } = { xid: 0, seq: 0 },
): LogRange[] {
  return ranges
    .filter(({ high }) => high > xid)
    .map(({ low, high }) =>
      low > xid ? { low, after: -1, high } : { low: xid, after: seq, high },
    );
}

/**
 * Opaque text for a position: base64url of JSON `[1, log, from]` or `[1, log, from, to, xid, seq]`. The same string in
 * GraphQL (ChangeCursor) and REST (`X-Resume-Cursor`).
 */
export function encodeChangeCursor(logId: string, position: ChangePosition): string {
  const parts =
    'to' in position
      ? [1, logId, position.from, position.to, position.xid, position.seq]
      : [1, logId, position.from];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/**
 * The position in a cursor, and the log to which it belongs. Throws E901 for a malformed one. Not signed: it gives
 * access to nothing that the viewer may not see.
 */
export function decodeChangeCursor(cursor: string): { logId: string; position: ChangePosition } {
  const unusable = (): AppError =>
    new AppError('E901', { inGraphQL: 'after is not a usable position of the change log' });
  if (cursor.length > 40_000 || !/^[A-Za-z0-9_-]+$/.test(cursor)) throw unusable();
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw unusable();
  }
  if (!Array.isArray(parts) || (parts.length !== 3 && parts.length !== 6)) throw unusable();
  const [version, logId, from, to, xid, seq] = parts as unknown[];
  if (version !== 1 || typeof logId !== 'string' || !isSnapshot(from)) throw unusable();
  if (parts.length === 3) return { logId, position: { from } };
  if (!isSnapshot(to) || !isCount(xid) || !isCount(seq)) throw unusable();
  return { logId, position: { from, to, xid, seq } };
}

function isSnapshot(value: unknown): value is Snapshot {
  return (
    typeof value === 'string' && SNAPSHOT.test(value) && parse(value).end <= Number.MAX_SAFE_INTEGER
  );
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
