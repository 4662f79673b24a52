import type { RecentChanges } from '../../../core/context/change-follower.ts';
import type { LoggedChange } from '../../change-log/change-log.ts';
import type { LogRange } from '../../change-log/change-position.ts';
import {
  listingText,
  listKey,
  mayRead,
  readListings,
  type ListedFeed,
} from '../../feeds/selection/feed-visibility.sql.ts';

type Reader = Parameters<RecentChanges['beyond']>[1];

/** Changes that were read at about the same time, and are forgotten together. */
interface Part {
  count: number;
  /** Where they are. */
  readonly places: Set<Listed>;
}

/** A change without the lists that it concerns, so that it takes little memory. */
type KeptChange = Pick<
  LoggedChange,
  'xid' | 'seq' | 'feedKey' | 'op' | 'audienceUserId' | 'changedAt'
> & { readonly part: Part };

/** The changes in log order that concern the readers of an entry of feed_listing, or a user whatever the list. */
interface Listed {
  entry?: ListedFeed;
  changes: KeptChange[];
}

const inLogOrder = (a: KeptChange, b: KeptChange): number => a.xid - b.xid || a.seq - b.seq;

/** Changes by the lists that they concern, and those of users: a reader's are found without looking at the others'. */
export class KeptChanges {
  readonly #byList = new Map<number, Listed[]>();
  /** The same by the text of the entry, which is quicker than to read it each time. */
  readonly #byText = new Map<string, Listed>();
  readonly #ofUsers: Listed = { changes: [] };

  /** Adds changes to a part, or to a new one, and returns it. */
  add(changes: readonly LoggedChange[], part: Part = { count: 0, places: new Set() }): Part {
    part.count += changes.length;
    const disordered = new Set<Listed>();
    for (const logged of changes) {
      const { xid, seq, feedKey, op, audienceUserId, changedAt } = logged;
      const change: KeptChange = { xid, seq, feedKey, op, audienceUserId, changedAt, part };
      for (const place of this.#placesOf(logged)) {
        part.places.add(place);
        const last = place.changes.at(-1);
        place.changes.push(change);
        if (last && inLogOrder(last, change) > 0) disordered.add(place);
      }
    }
    // The log is in the order in which transactions began, which is not quite that in which they end.
    for (const place of disordered) place.changes.sort(inLogOrder);
    return part;
  }

  drop(part: Part): void {
    for (const place of part.places) {
      place.changes = place.changes.filter((change) => change.part !== part);
      if (place.changes.length > 0 || !place.entry) continue;
      this.#byText.delete(listingText(place.entry));
      const key = listKey(place.entry);
      const left = this.#byList.get(key)?.filter((other) => other !== place) ?? [];
      if (left.length > 0) this.#byList.set(key, left);
      else this.#byList.delete(key);
    }
  }

  clear(): void {
    this.#byList.clear();
    this.#byText.clear();
    this.#ofUsers.changes = [];
  }

  /** The first changes in these ranges that concern the reader, at most `most`, in log order. */
  find(ranges: readonly LogRange[], reader: Reader, most: number): KeptChange[] {
    const lowest = ranges[0]?.low ?? Infinity;
    const isReadable = mayRead(reader);
    const keys = reader.feedKeys && new Set(reader.feedKeys);
    const concerns = (change: KeptChange): boolean =>
      change.xid >= lowest &&
      (change.audienceUserId === null || change.audienceUserId === reader.userId) &&
      (!keys || change.op === 'M' || keys.has(change.feedKey)) &&
      ranges.some(
        ({ low, after, high }) =>
          change.xid < high && (change.xid > low || (change.xid === low && change.seq > after)),
      );
    const found = new Set<KeptChange>();
    const take = ({ changes }: Listed): void => {
      let left = most;
      for (const change of changes) {
        if (left === 0) return;
        if (!concerns(change)) continue;
        found.add(change);
        left--;
      }
    };
    take(this.#ofUsers);
    for (const list of reader.lists)
      for (const place of this.#byList.get(listKey(list)) ?? [])
        if (place.entry && isReadable(place.entry)) take(place);
    return [...found].sort(inLogOrder).slice(0, most);
  }

  /** Where the changes of the user, of the list that the feed has left, or of those in which it is are kept. */
  #placesOf({ op, list, subjectId, confidentialDept, lists }: LoggedChange): Listed[] {
    if (op === 'M') return [this.#ofUsers];
    if (op === 'L') {
      const left = { list: list ?? 0, subjectId: subjectId ?? 0, confidentialDept };
      return [this.#placeOf(listingText(left))];
    }
    return lists?.split(',').map((text) => this.#placeOf(text)) ?? [];
  }

  #placeOf(text: string): Listed {
    const known = this.#byText.get(text);
    if (known) return known;
    const [entry] = readListings(text);
    const place: Listed = { changes: [], ...(entry && { entry }) };
    this.#byText.set(text, place);
    if (entry)
      this.#byList.set(listKey(entry), [...(this.#byList.get(listKey(entry)) ?? []), place]);
    return place;
  }
}
