import { collectTurn } from '../core/collect-turn.ts';
import type { Services } from '../core/context/context.ts';
import type { Cell } from '../core/wire/wire.ts';
import type { Viewer } from '../core/context/viewer.ts';
import { liveSessions } from './identify.sql.ts';

/** Where the columns of a session are in its row. */
export const { places } = liveSessions;

interface Sessions {
  /**
   * Reads a session in one statement together with those of all requests that arrived at the same time. A single
   * request does not wait for others.
   */
  read(this: void, key: string): Promise<Cell[] | undefined>;
  /** Sessions as they were last read. */
  known: Map<string, { row: readonly Cell[]; viewer: Viewer }>;
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
export function sessionsOf({ db, clock }: Services): Sessions {
  let found = sessions.get(db);
  if (!found) {
    const read = async (asked: readonly Asked[]): Promise<void> => {
      try {
        const keys = asked.map(({ key }) => key);
        const rows = await liveSessions.read(db, { tokenHashes: keys, now: new Date(clock()) });
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
      known: new Map(),
    };
    sessions.set(db, found);
  }
  return found;
}
