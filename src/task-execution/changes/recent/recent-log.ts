import { setImmediate } from 'node:timers/promises';
import type { RecentChanges } from '../../../core/context/change-follower.ts';
import type { Database } from '../../../core/database/db.ts';
import {
  isMoreThan,
  readLoggedSince,
  readLogHead,
  type LoggedChange,
  type LogHead,
} from '../../change-log/change-log.ts';
import {
  firstUnseen,
  rangesBeyond,
  sees,
  snapshotBefore,
  transactionsBetween,
  type Snapshot,
} from '../../change-log/change-position.ts';
import { markOfAge, STREAM_PAGE } from '../../change-log/changes.sql.ts';
import { KeptChanges } from './kept-changes.ts';

/**
 * How long changes are kept, from how long ago they are read at first, and how long ago the log may have been read to be
 * read on; in milliseconds.
 */
const KEPT = 100_000;
const READ_ON = 30_000;
/** Most changes that are kept, and so most that are read at once. */
const MOST = 50_000;
/** What is read within this time, in milliseconds, is forgotten together. */
const PART = 1_000;
/**
 * How far apart the moments are from which a client may continue, and how much further back than asked one may lie; in
 * milliseconds.
 */
const MARK_EVERY = 500;
const MARK_TOLERANCE = 1_000;

/** What the reads of a short time found. */
interface Part {
  to: Snapshot;
  readAt: number;
  changes: ReturnType<KeptChanges['add']>;
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
  /** Another object whenever the log is read anew. */
  #log = {};
  #parts: Part[] = [];
  readonly #changes = new KeptChanges();
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

  known(): RecentChanges | undefined {
    const head = this.#lastHead(performance.now());
    return head && this.#until(head);
  }

  #until(head: LogHead): RecentChanges {
    return { log: this.#log, head, beyond: this.#beyond, before: this.#before };
  }

  /** The end of the log as it was read last, unless that is too long ago to read on. */
  #lastHead(now: number): LogHead | undefined {
    return now - this.#readAt < READ_ON ? this.#head : undefined;
  }

  async #read(): Promise<RecentChanges> {
    const readAt = performance.now();
    const last = this.#lastHead(readAt);
    try {
      const head = (last && (await this.#readOn(last, readAt))) ?? (await this.#readAnew(readAt));
      [this.#head, this.#readAt] = [head, readAt];
      this.#mark(head.now);
      return this.#until(head);
    } catch (error) {
      // It may be another server next time.
      this.#head = undefined;
      throw error;
    }
  }

  /** The end of the log after what was written since, which is kept unless it is too much; undefined if it is another log. */
  async #readOn(last: LogHead, readAt: number): Promise<LogHead | undefined> {
    const { head, changes } = await this.#readSince(last, last.now);
    const isSame = head.logId === last.logId && sees(head.now, last.now);
    if (!isSame) return undefined;
    if (changes) await this.#keep(changes, { to: head.now, readAt });
    else this.#begin(head.now);
    for (;;) {
      const [first] = this.#parts;
      if (!first || (this.kept <= MOST && readAt - first.readAt < KEPT)) return head;
      this.#changes.drop(first.changes);
      this.kept -= first.changes.count;
      [this.#from, this.#parts] = [first.to, this.#parts.slice(1)];
    }
  }

  /** The end of the log, with what was written before for as long as changes are kept, unless that is too much. */
  async #readAnew(readAt: number): Promise<LogHead> {
    // Nothing is known until all is read: others ask meanwhile.
    [this.#log, this.#head] = [{}, undefined];
    this.#begin(undefined);
    this.#marks = [];
    const domainId = this.#domainId;
    const mark = await markOfAge.first(this.#db, { age: KEPT, domainId });
    const before = await readLogHead(this.#db, [domainId]);
    const from = mark?.snapshot ?? snapshotBefore(before.horizonXid);
    const { head, changes } = await this.#readSince(before, from);
    const all = firstUnseen(from) >= head.horizonXid ? changes : undefined;
    if (all) await this.#keep(all, { to: head.now, readAt });
    this.#from = all ? from : head.now;
    return head;
  }

  /** Forgets all changes: they are known from here on. */
  #begin(from: Snapshot | undefined): void {
    this.#from = from;
    [this.#parts, this.kept] = [[], 0];
    this.#changes.clear();
  }

  /** What was written since, unless it is more than MOST changes, and the end of the log. */
  async #readSince(
    last: LogHead,
    from: Snapshot,
  ): Promise<{ head: LogHead; changes: LoggedChange[] | undefined }> {
    const changes: LoggedChange[] = [];
    let head = last;
    for await (const page of readLoggedSince(this.#db, [this.#domainId], from)) {
      head = page.head;
      // Counting takes a hundredth of the time of reading what is not kept, for which all polls would wait.
      const isFirstOfMany = changes.length === 0 && page.changes.length === STREAM_PAGE;
      const range = { from, to: head.now };
      if (isFirstOfMany && (await isMoreThan(MOST, this.#db, this.#domainId, range)))
        return { head, changes: undefined };
      changes.push(...page.changes);
    }
    return { head, changes };
  }

  /** Others have their turn in between: nobody asks yet for what is added. */
  async #keep(
    changes: readonly LoggedChange[],
    { to, readAt }: { to: Snapshot; readAt: number },
  ): Promise<void> {
    let part = this.#parts.at(-1);
    if (!part || readAt - part.readAt >= PART) {
      if (changes.length === 0) return;
      part = { to, readAt, changes: this.#changes.add([]) };
      this.#parts.push(part);
    }
    for (let at = 0; at < changes.length; at += STREAM_PAGE) {
      if (at > 0) await setImmediate();
      this.#changes.add(changes.slice(at, at + STREAM_PAGE), part.changes);
    }
    part.to = to;
    this.kept += changes.length;
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

  readonly #beyond: RecentChanges['beyond'] = ({ from, to, xid, seq }, reader, most) => {
    const isKnown =
      this.#from !== undefined &&
      sees(from, this.#from) &&
      this.#head !== undefined &&
      sees(this.#head.now, to);
    if (!isKnown) return undefined;
    const ranges = rangesBeyond(transactionsBetween(from, to), { xid, seq });
    return this.#changes.find(ranges, reader, most);
  };
}
