import type { ChangePlace, ChangeWatch } from '../../core/context/change-follower.ts';
import type { LoggedChange } from '../change-log/change-log.ts';
import { listKey, mayRead, readListings } from '../feeds/selection/feed-visibility.sql.ts';
import type { Snapshot } from '../change-log/change-position.ts';

/** An open stream, with the data that decides whether it may see a row. */
interface Reader {
  watch: ChangeWatch;
  mayRead: ReturnType<typeof mayRead>;
}

/** The open streams, indexed by list and by user, so that the cost of a change depends on its readers only. */
export class Watches {
  readonly #all = new Map<ChangeWatch, Reader>();
  readonly #byList = new Map<number, Set<Reader>>();
  readonly #byUser = new Map<number, Set<Reader>>();
  readonly #bySession = new Map<string, Set<Reader>>();
  readonly #byDomain = new Map<number, Set<Reader>>();

  get size(): number {
    return this.#all.size;
  }

  all(): ChangeWatch[] {
    return [...this.#all.keys()];
  }

  domains(): number[] {
    return [...this.#byDomain.keys()];
  }

  sessions(): string[] {
    return [...this.#bySession.keys()];
  }

  ofSession(sessionId: string): number {
    return this.#bySession.get(sessionId)?.size ?? 0;
  }

  ofUser(userId: number): number {
    return this.#byUser.get(userId)?.size ?? 0;
  }

  ofDomain(domainId: number): number {
    return this.#byDomain.get(domainId)?.size ?? 0;
  }

  add(watch: ChangeWatch): void {
    const reader = { watch, mayRead: mayRead(watch) };
    this.#all.set(watch, reader);
    put(this.#byUser, watch.userId, reader);
    put(this.#bySession, watch.sessionId, reader);
    put(this.#byDomain, watch.domainId, reader);
    for (const list of watch.lists) put(this.#byList, listKey(list), reader);
  }

  remove(watch: ChangeWatch): void {
    const reader = this.#all.get(watch);
    if (!reader) return;
    this.#all.delete(watch);
    drop(this.#byUser, watch.userId, reader);
    drop(this.#bySession, watch.sessionId, reader);
    drop(this.#byDomain, watch.domainId, reader);
    for (const list of watch.lists) drop(this.#byList, listKey(list), reader);
  }

  /** Passes each watch the rows that concern it. */
  deliver(rows: readonly LoggedChange[], batch: { from: Snapshot; to: Snapshot }): void {
    for (const { xid, seq, feedKey, op, audienceUserId, changedAt, lists, ...left } of rows) {
      const mine =
        audienceUserId !== null && (op === 'S' || op === 'M')
          ? this.#byUser.get(audienceUserId)
          : undefined;
      if (op === 'M') {
        for (const { watch } of [...(mine ?? [])]) watch.ended('LISTS_CHANGED');
        continue;
      }
      if (op === 'S' && !mine) continue;
      const place: ChangePlace = { ...batch, xid, seq };
      const entries =
        op === 'L'
          ? [{ ...left, list: left.list ?? 0, subjectId: left.subjectId ?? 0 }]
          : readListings(lists);
      for (const entry of entries) {
        for (const reader of this.#byList.get(listKey(entry)) ?? []) {
          if (reader.mayRead(entry) && (op !== 'S' || mine?.has(reader)))
            reader.watch.changed(feedKey, place, changedAt);
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
