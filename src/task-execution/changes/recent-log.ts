import type { RecentChanges } from '../../core/context/change-follower.ts';
import type { Database } from '../../core/database/db.ts';
import {
  readLogged,
  readLogHead,
  type LoggedChange,
  type LogHead,
} from '../change-log/change-log.ts';
import {
  firstUnseen,
  rangesBeyond,
  snapshotBefore,
  transactionsBetween,
  transactionsSince,
  type LogRange,
  type Snapshot,
} from '../change-log/change-position.ts';
import { markOfAge, STREAM_PAGE } from '../change-log/changes.sql.ts';
import {
  listKey,
  mayRead,
  readListings,
  type ListedFeed,
} from '../feeds/selection/feed-visibility.sql.ts';

/**
 * How long changes are kept, from how long ago they are read at first, and how long ago the log may have been read to be
 * read on; in milliseconds.
 */
const KEPT = 100_000;
const READ_ON = 30_000;
/** Most changes that are kept. */
const MOST = 10_000;
/**
 * How far apart the moments are from which a client may continue, and how much further back than asked one may lie; in
 * milliseconds.
 */
const MARK_EVERY = 500;
const MARK_TOLERANCE = 1_000;

/** A change, in one of the lists that it concerns. */
interface Listed {
  change: LoggedChange;
  entry: ListedFeed;
}

/** What a read found beyond the one before. */
interface Part {
  to: Snapshot;
  readAt: number;
  changes: readonly LoggedChange[];
}

/** How far the log had come before a moment. */
interface Mark {
  seenBy: number;
  now: Snapshot;
}

/** What was written in the log of a domain of late. */
export class RecentLog {
  /** Number of changes in the parts. */
  kept = 0;
  readonly #db: Database;
  readonly #domainId: number;
  /** Everything that `#from` does not see and `#head` does is in the parts. */
  #from: Snapshot | undefined;
  #head: LogHead | undefined;
  #parts: Part[] = [];
  /** The changes of the parts by their lists, and those that concern a user whatever the list; the oldest first. */
  readonly #byList = new Map<number, Listed[]>();
  #ofUsers: LoggedChange[] = [];
  /** The oldest first, of times that are at least MARK_EVERY apart. */
  #marks: Mark[] = [];
  #readAt = -Infinity;
  #reading: Promise<RecentChanges> | undefined;
  #next: Promise<RecentChanges> | undefined;

  constructor(db: Database, domainId: number) {
    this.#db = db;
    this.#domainId = domainId;
  }

  upToNow(): Promise<RecentChanges> {
    if (this.#next) return this.#next;
    const begin = (): Promise<RecentChanges> => {
      [this.#reading, this.#next] = [this.#next, undefined];
      return this.#read();
    };
    return (this.#next = (this.#reading ?? Promise.resolve()).then(begin, begin));
  }

  async #read(): Promise<RecentChanges> {
    const readAt = performance.now();
    const last = readAt - this.#readAt < READ_ON ? this.#head : undefined;
    try {
      const head = (last && (await this.#readOn(last, readAt))) ?? (await this.#readAnew(readAt));
      [this.#head, this.#readAt] = [head, readAt];
      this.#mark(head.now);
      return { head, beyond: this.#beyond, before: this.#before };
    } catch (error) {
      // It may be another server next time.
      this.#head = undefined;
      throw error;
    }
  }

  /** The end of the log after what was written since; undefined if that is too much, or another log. */
  async #readOn(last: LogHead, readAt: number): Promise<LogHead | undefined> {
    const { head, changes } = await this.#readSince(last.now);
    const isSame =
      head.logId === last.logId && transactionsBetween(head.now, last.now).length === 0;
    if (!isSame || changes.length > MOST) return undefined;
    this.#keep(changes, { to: head.now, readAt });
    for (;;) {
      const [first] = this.#parts;
      if (!first || (this.kept <= MOST && readAt - first.readAt < KEPT)) return head;
      this.#drop(first);
      [this.#from, this.#parts] = [first.to, this.#parts.slice(1)];
    }
  }

  /** The end of the log, with what was written before for as long as changes are kept, unless that is too much. */
  async #readAnew(readAt: number): Promise<LogHead> {
    // Nothing is known until all is read: others ask meanwhile.
    this.#from = undefined;
    [this.#parts, this.#ofUsers, this.#marks, this.kept] = [[], [], [], 0];
    this.#byList.clear();
    const domainId = this.#domainId;
    const mark = await markOfAge.first(this.#db, { age: KEPT, domainId });
    const { horizonXid } = await readLogHead(this.#db, [domainId]);
    const from = mark?.snapshot ?? snapshotBefore(horizonXid);
    const { head, changes } = await this.#readSince(from);
    const isAll = firstUnseen(from) >= head.horizonXid && changes.length <= MOST;
    this.#from = isAll ? from : head.now;
    if (isAll) this.#keep(changes, { to: head.now, readAt });
    return head;
  }

  /** What was written since, a little more than MOST changes at most, and the end of the log. */
  async #readSince(from: Snapshot): Promise<{ head: LogHead; changes: LoggedChange[] }> {
    let page = await this.#readRanges(rangesBeyond(transactionsSince(from), { xid: 0, seq: 0 }));
    const { head } = page;
    const changes = [...page.changes];
    for (;;) {
      const last = page.changes.at(-1);
      if (!last || page.changes.length < STREAM_PAGE || changes.length > MOST) break;
      const rest = rangesBeyond(transactionsBetween(from, head.now), last);
      if (rest.length === 0) break;
      page = await this.#readRanges(rest);
      changes.push(...page.changes);
    }
    return { head, changes };
  }

  #readRanges(ranges: readonly LogRange[]): ReturnType<typeof readLogged> {
    return readLogged(this.#db, [this.#domainId], ranges);
  }

  #keep(changes: readonly LoggedChange[], { to, readAt }: { to: Snapshot; readAt: number }): void {
    if (changes.length === 0) return;
    this.#parts.push({ to, readAt, changes });
    this.kept += changes.length;
    for (const change of changes) {
      if (change.op === 'M') this.#ofUsers.push(change);
      else
        for (const entry of listsOf(change)) {
          const key = listKey(entry);
          const listed = this.#byList.get(key);
          if (listed) listed.push({ change, entry });
          else this.#byList.set(key, [{ change, entry }]);
        }
    }
  }

  /** Forgets the oldest part. */
  #drop({ changes }: Part): void {
    this.kept -= changes.length;
    const old = new Set(changes);
    this.#ofUsers = this.#ofUsers.filter((change) => !old.has(change));
    for (const key of new Set(changes.flatMap((change) => listsOf(change).map(listKey)))) {
      const left = this.#byList.get(key)?.filter(({ change }) => !old.has(change)) ?? [];
      if (left.length > 0) this.#byList.set(key, left);
      else this.#byList.delete(key);
    }
  }

  #mark(now: Snapshot): void {
    const seenBy = performance.now();
    if (seenBy - (this.#marks.at(-1)?.seenBy ?? -Infinity) < MARK_EVERY) return;
    this.#marks = this.#marks.filter((mark) => seenBy - mark.seenBy < KEPT);
    this.#marks.push({ seenBy, now });
  }

  readonly #before: RecentChanges['before'] = (age) => {
    const latest = performance.now() - age;
    const mark = this.#marks.findLast(({ seenBy }) => seenBy <= latest);
    return mark && latest - mark.seenBy <= MARK_TOLERANCE ? mark.now : undefined;
  };

  readonly #beyond: RecentChanges['beyond'] = ({ from, to, xid, seq }, reader) => {
    const isKnown =
      this.#from !== undefined &&
      transactionsBetween(from, this.#from).length === 0 &&
      this.#head !== undefined &&
      transactionsBetween(this.#head.now, to).length === 0;
    if (!isKnown) return undefined;
    const ranges = rangesBeyond(transactionsBetween(from, to), { xid, seq });
    const isReadable = mayRead(reader);
    const isBeyond = (change: LoggedChange): boolean =>
      (change.audienceUserId === null || change.audienceUserId === reader.userId) &&
      ranges.some(
        ({ low, after, high }) =>
          change.xid < high && (change.xid > low || (change.xid === low && change.seq > after)),
      );
    const found = new Set(this.#ofUsers.filter(isBeyond));
    for (const list of reader.lists)
      for (const { change, entry } of this.#byList.get(listKey(list)) ?? [])
        if (isReadable(entry) && isBeyond(change)) found.add(change);
    return [...found].sort((a, b) => a.xid - b.xid || a.seq - b.seq);
  };
}

/** The list that a feed has left, or those in which it is. */
function listsOf({
  op,
  list,
  subjectId,
  confidentialDept,
  lists,
}: LoggedChange): readonly ListedFeed[] {
  return op === 'L'
    ? [{ list: list ?? 0, subjectId: subjectId ?? 0, confidentialDept }]
    : readListings(lists);
}
