import type { PGlite } from '@electric-sql/pglite';

/** Takes a part of an answer and owns its bytes. */
export type TakeBytes = (bytes: Uint8Array) => void;

/** The single session of an embedded database, in this thread or another, as a connection uses it. */
export interface EmbeddedSession {
  /** Answers whole messages of PostgreSQL's protocol that follow each other; a startup message comes alone. */
  answer(messages: Uint8Array, take: TakeBytes): Promise<void>;
  /** Cleans up after the previous connection: an open transaction, prepared statements. */
  reset(): Promise<void>;
  close(): Promise<void>;
  /** Gives it up as crashed, whatever it is doing. */
  abandon(error: Error): void;
  /** Resolves when the session has crashed; it answers nothing any more. */
  lost: Promise<Error>;
}

/** The session of a PGlite in this thread; each statement blocks the event loop. */
export function sessionOf(db: PGlite): EmbeddedSession {
  return {
    async answer(messages, take) {
      const onRawData = (bytes: Uint8Array): void => take(new Uint8Array(bytes));
      await db.runExclusive(() => db.execProtocolRawStream(messages, { onRawData }));
    },
    async reset() {
      await db.exec('ROLLBACK');
      await db.exec('DEALLOCATE ALL');
    },
    close: () => db.close(),
    abandon: () => undefined,
    lost: new Promise(() => {}),
  };
}
