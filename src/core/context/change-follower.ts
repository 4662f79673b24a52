/** Why the server ends a stream: the reader is too slow, the process stops, the session is over, or the lists that the user may read are others now. */
export type StreamEnd = 'TOO_SLOW' | 'SHUTDOWN' | 'SESSION_ENDED' | 'LISTS_CHANGED';

/** A place in the change log: what `to` sees and `from` does not, up to (xid, seq). */
export interface ChangePlace {
  from: string;
  to: string;
  xid: number;
  seq: number;
}

/** Somebody who wants to hear of changes in some lists. */
export interface ChangeWatch {
  sessionId: string;
  userId: number;
  domainId: number;
  lists: readonly { list: number; subjectId: number }[];
  /** Departments whose confidential feeds may be seen. */
  homeDeptIds: readonly number[];
  /** A feed of these lists has changed, or left one of them. Called for each row of the log; must be quick. `changedAt` as PostgreSQL prints an instant. */
  changed(feedKey: number, place: ChangePlace, changedAt: string): void;
  /** The watch is over. */
  ended(reason: StreamEnd): void;
}

/** Reads the change log once for all streams of the process. */
export interface ChangeFollower {
  /** Everything that commits after it returns reaches the watch. Returns how to stop. Throws E902 when the session or the process has too many streams. */
  watch(watch: ChangeWatch): Promise<() => void>;
  /** Streams that are open. */
  readonly open: number;
  /** Age in seconds of the oldest committed change that the streams have not been told of; 0 when there is none, or no stream. */
  lag(): Promise<number>;
  /** Ends every stream, and takes no more. */
  close(): Promise<void>;
}
