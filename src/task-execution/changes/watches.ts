import type { ChangePlace, ChangeWatch } from '../../core/context/change-follower.ts';
import type { Services } from '../../core/context/context.ts';
import type { Cell } from '../../core/wire/wire.ts';
import {
  listedFeed,
  listKey,
  mayRead,
  type ListedFeed,
} from '../feeds/selection/feed-visibility.ts';
import type { Snapshot } from '../change-log/change-position.ts';

/** An open stream, and what tells whether it may read a row. */
interface Reader {
  watch: ChangeWatch;
  mayRead: ReturnType<typeof mayRead>;
}

/** The open streams, found by list and by user, so that a change costs its readers and not all. */
export class Watches {
  readonly #all = new Map<ChangeWatch, Reader>();
  readonly #byList = new Map<number, Set<Reader>>();
  readonly #byUser = new Map<number, Set<Reader>>();
  readonly #bySession = new Map<string, Set<Reader>>();

  get size(): number {
    return this.#all.size;
  }

  all(): ChangeWatch[] {
    return [...this.#all.keys()];
  }

  domains(): number[] {
    return [...new Set(this.all().map((watch) => watch.domainId))];
  }

  sessions(): string[] {
    return [...this.#bySession.keys()];
  }

  ofSession(sessionId: string): number {
    return this.#bySession.get(sessionId)?.size ?? 0;
  }

  add(watch: ChangeWatch): void {
    const reader = { watch, mayRead: mayRead(watch) };
    this.#all.set(watch, reader);
    put(this.#byUser, watch.userId, reader);
    put(this.#bySession, watch.sessionId, reader);
    for (const list of watch.lists) put(this.#byList, listKey(list), reader);
  }

  remove(watch: ChangeWatch): void {
    const reader = this.#all.get(watch);
    if (!reader) return;
    this.#all.delete(watch);
    drop(this.#byUser, watch.userId, reader);
    drop(this.#bySession, watch.sessionId, reader);
    for (const list of watch.lists) drop(this.#byList, listKey(list), reader);
  }

  /** Tells each watch of the rows that concern it. Which lists a feed is in is read once for all. */
  async deliver(
    db: Services['db'],
    rows: readonly Cell[][],
    batch: { from: Snapshot; to: Snapshot },
  ): Promise<void> {
    const keys = [
      ...new Set(
        rows.flatMap(([, , feedKey, op]) => (op === 'U' || op === 'S' ? [feedKey ?? ''] : [])),
      ),
    ];
    const listings = new Map<string, ListedFeed[]>();
    if (keys.length > 0) {
      for (const [feedKey, list, subject, dept] of await db.rows(
        'SELECT feed_key, list, subject_id, confidential_dept FROM feed_listing WHERE feed_key = ANY ($1::bigint[])',
        [keys],
      )) {
        const entry = listedFeed(list, subject, dept);
        const known = listings.get(feedKey ?? '');
        if (known) known.push(entry);
        else listings.set(feedKey ?? '', [entry]);
      }
    }
    for (const [xid, seq, feedKey, op, user, list, subject, dept, changedAt] of rows) {
      const mine = op === 'S' || op === 'M' ? this.#byUser.get(Number(user)) : undefined;
      if (op === 'M') {
        for (const { watch } of [...(mine ?? [])]) watch.ended('LISTS_CHANGED');
        continue;
      }
      if (op === 'S' && !mine) continue;
      const place: ChangePlace = { ...batch, xid: Number(xid), seq: Number(seq) };
      const entries =
        op === 'L' ? [listedFeed(list, subject, dept)] : (listings.get(feedKey ?? '') ?? []);
      for (const entry of entries) {
        for (const reader of this.#byList.get(listKey(entry)) ?? []) {
          if (reader.mayRead(entry) && (op !== 'S' || mine?.has(reader)))
            reader.watch.changed(Number(feedKey), place, changedAt ?? '');
        }
      }
    }
  }
}

function put<K>(map: Map<K, Set<Reader>>, key: K, reader: Reader): void {
  const set = map.get(key);
  if (set) set.add(reader);
  else map.set(key, new Set([reader]));
}

function drop<K>(map: Map<K, Set<Reader>>, key: K, reader: Reader): void {
  const set = map.get(key);
  set?.delete(reader);
  if (set?.size === 0) map.delete(key);
}
