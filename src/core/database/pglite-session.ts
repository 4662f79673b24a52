import type { PGlite } from '@electric-sql/pglite';

/** Takes a part of an answer; the bytes are its own. */
export type TakeBytes = (bytes: Uint8Array) => void;

/** The one session of an embedded database, in this thread or another, as a connection needs it. */
export interface EmbeddedSession {
  /** Answers whole messages of PostgreSQL's protocol, one after the other. */
  answer(messages: readonly Uint8Array[], take: TakeBytes): Promise<void>;
  /** Ends what the connection before has left: an open transaction, prepared statements. */
  reset(): Promise<void>;
  close(): Promise<void>;
  /** Resolves when the session has ended by itself; it answers nothing any more. */
  lost: Promise<Error>;
}

/** The session of a PGlite of this thread, whose event loop each statement holds. */
export function sessionOf(db: PGlite): EmbeddedSession {
  return {
    async answer(messages, take) {
      const onRawData = (bytes: Uint8Array): void => take(new Uint8Array(bytes));
      for (const message of messages)
        await db.runExclusive(() => db.execProtocolRawStream(message, { onRawData }));
    },
    async reset() {
      await db.exec('ROLLBACK');
      await db.exec('DEALLOCATE ALL');
    },
    close: () => db.close(),
    lost: new Promise(() => {}),
  };
}
