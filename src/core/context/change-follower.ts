/**
 * Why the server ends a stream: the reader is too slow, the process stops, the session has ended, or the user may now
 * read different lists.
 */
export type StreamEnd = 'TOO_SLOW' | 'SHUTDOWN' | 'SESSION_ENDED' | 'LISTS_CHANGED';

/** A position in the change log: everything that snapshot `to` sees and `from` does not, up to (xid, seq). */
export interface ChangePlace {
  from: string;
  to: string;
  xid: number;
  seq: number;
}

/** A stream that is notified of changes in some lists. */
export interface ChangeWatch {
  sessionId: string;
  userId: number;
  domainId: number;
  lists: readonly { list: number; subjectId: number }[];
  /** Departments whose confidential feeds may be seen. */
  homeDeptIds: readonly number[];
  /**
   * Called for each row of the log when a feed of these lists has changed or left one of them; must be quick.
   * `changedAt` is an instant as PostgreSQL prints it.
   */
  changed(feedKey: number, place: ChangePlace, changedAt: string): void;
  /** The watch is over. */
  ended(reason: StreamEnd): void;
}

/** The end of the log of a domain, and what was written there of late. */
export interface RecentChanges {
  /** The same object as long as each read has continued where the one before had ended, on the same server. */
  log: object;
  head: { logId: string; now: string; horizonXid: number };
  /**
   * How far the log had come at a moment that lies this many milliseconds back or a little more; `undefined` when that is
   * not known.
   */
  before: (age: number) => string | undefined;
  /**
   * The first changes beyond a place that concern somebody, at most `most`, in log order; with `feedKeys` only those of
   * these feeds, and those of the reader's lists (op M). `undefined` when the place is too old to tell: the log itself is
   * to be read.
   */
  beyond(
    place: ChangePlace,
    reader: Pick<ChangeWatch, 'userId' | 'lists' | 'homeDeptIds'> & {
      feedKeys?: readonly number[] | undefined;
    },
    most: number,
  ): { xid: number; seq: number; feedKey: number; op: string; changedAt: string }[] | undefined;
}

/** Reads the change log once for all streams of the process, and for all polls of recent changes. */
export interface ChangeFollower {
  /** Reads the log of a domain up to now: everything that committed before this call is in it. */
  recent(domainId: number): Promise<RecentChanges>;
  /** What the last read of the log of a domain found, if it succeeded in the last half minute and can be continued. */
  known(domainId: number): RecentChanges | undefined;
  /**
   * Starts a watch: every change that commits after this returns is reported to it. Returns the function that stops it.
   * Throws E902 when the session, the user, the domain or the process has too many streams.
   */
  watch(watch: ChangeWatch): Promise<() => void>;
  /** Ends the streams whose session has ended, now. */
  endSessions(): Promise<void>;
  /** Number of open streams. */
  readonly open: number;
  /**
   * Age in seconds of the oldest committed change that the streams have not seen yet; 0 when there is none, or no
   * stream.
   */
  lag(): Promise<number>;
  /** Ends every stream and accepts no more. */
  close(): Promise<void>;
}
