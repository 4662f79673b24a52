import { collectTurn } from '../core/collect-turn.ts';
import type { Services } from '../core/context/context.ts';
import type { Cell, Row } from '../core/wire/wire.ts';
import { liveSessions } from './identify.sql.ts';
import { SessionMemory } from './session-memory.ts';

/** Where the columns of a session are in its row. */
export const { places } = liveSessions;

interface Sessions {
  /**
   * Reads a session in one statement together with those of all requests that arrived at the same time. A single
   * request does not wait for others.
   */
  read(this: void, key: string): Promise<Cell[] | undefined>;
  memory: SessionMemory;
}

/** Most sessions that one statement reads. */
const MOST_AT_ONCE = 100;

interface Asked {
  key: string;
  resolve: (row: Cell[] | undefined) => void;
  reject: (error: unknown) => void;
}

const sessions = new WeakMap<Services['db'], Sessions>();

/** The sessions of a database, which all requests of this process share. */
export function sessionsOf({ db, clock, replicas }: Services): Sessions {
  let found = sessions.get(db);
  if (!found) {
    /** One that waited for a primary that is gone is read again from the replica that takes its place. */
    const readRows = async (keys: readonly string[]): Promise<Row[]> => {
      const wanted = { tokenHashes: keys, now: new Date(clock()) };
      const first = replicas?.whileGone();
      try {
        return await liveSessions.read(first ?? db, wanted);
      } catch (error) {
        const second = first ? undefined : replicas?.whileGone();
        if (!second) throw error;
        return await liveSessions.read(second, wanted);
      }
    };
    const read = async (asked: readonly Asked[]): Promise<void> => {
      try {
        const rows = await readRows(asked.map(({ key }) => key));
        const byKey = new Map(rows.map(({ cells }) => [cells[places.tokenHash], cells]));
        for (const { key, resolve } of asked) resolve(byKey.get(key));
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    };
    const collect = collectTurn<Asked>((asked) => {
      for (let start = 0; start < asked.length; start += MOST_AT_ONCE)
        void read(asked.slice(start, start + MOST_AT_ONCE));
    });
    found = {
      read: (key) => new Promise((resolve, reject) => collect({ key, resolve, reject })),
      memory: new SessionMemory(db.notifications),
    };
    // With replicas every write moves the point up to which a session must see the log, on whichever gateway it reads.
    if (!db.embedded && !replicas) found.memory.listen();
    sessions.set(db, found);
  }
  return found;
}
