/**
 * What is in progress, such as requests. For what comes and goes with every request, where a `Set` or `Map` is
 * expensive: after some deletions V8 gives it a new table, and the old table keeps its members and leads to the new one.
 * Once such a table is in V8's old space, all later ones survive, with whatever was in them, until the next full garbage
 * collection: whole requests, with their rows and replies. Here nothing that has ended leads to what came later.
 */
export class InProgress<Item> implements Iterable<Item> {
  readonly #places: { item: Item; at: number }[] = [];

  get size(): number {
    return this.#places.length;
  }

  /** Adds an item; returns what removes it. */
  add(item: Item): () => void {
    const place = { item, at: this.#places.length };
    this.#places.push(place);
    return () => this.#remove(place);
  }

  /** The items, in any order. */
  [Symbol.iterator](): IterableIterator<Item> {
    return this.#places.map(({ item }) => item).values();
  }

  /** The last one takes its place. */
  #remove(place: { at: number }): void {
    if (this.#places[place.at] !== place) return;
    const last = this.#places.pop();
    if (!last || last === place) return;
    last.at = place.at;
    this.#places[last.at] = last;
  }
}
