import type { Database } from '../../../core/database/db.ts';
import { chunkEnds, chunkPlaces, freezeChunk } from './frozen.sql.ts';
import type { PlacedItem } from './freeze-items.ts';
import { isBefore, type Place, type Span } from './place.ts';

/** Items of a new chunk; a chunk that grows beyond twice as many is divided. */
const CHUNK = 256;
/** Chunks that are read at once. */
const AT_ONCE = 8;

interface Chunk {
  id: number;
  lastDate: Date;
  lastImage: string;
}

const endOf = (chunk: Chunk | undefined): Place | undefined =>
  chunk && { imageId: chunk.lastImage, createdDate: chunk.lastDate };

/** A change of a tree: an image has another item, or none any more. */
export interface Change extends Place {
  id: number | null;
}

/**
 * Items in the order of images, in chunks. A change makes new chunks in the place of those that it concerns; the others
 * are those of before, so that versions share them.
 */
export class FrozenTree {
  readonly #datasetId: string;
  #chunks: Chunk[];

  private constructor(datasetId: string, chunks: Chunk[]) {
    this.#datasetId = datasetId;
    this.#chunks = chunks;
  }

  /** The tree of these chunks. */
  static async read(
    db: Pick<Database, 'rows'>,
    datasetId: string,
    ids: readonly number[],
  ): Promise<FrozenTree> {
    return new FrozenTree(datasetId, await chunkEnds.rows(db, { ids }));
  }

  get chunks(): number[] {
    return this.#chunks.map(({ id }) => id);
  }

  /** The chunks that have, or would have, something of a span. */
  within({ after, until }: Span): number[] {
    const first = after ? this.#chunkOf(after) : 0;
    const end = until ? this.#chunkOf(until) + 1 : this.#chunks.length;
    return this.#chunks.slice(first, end).map(({ id }) => id);
  }

  /** Where the chunk ends that is so many behind the one of a place; undefined where there are fewer. */
  endBehind(after: Place | undefined, count: number): Place | undefined {
    return endOf(this.#chunks[(after ? this.#chunkOf(after) : -1) + count]);
  }

  /** The span of the chunk in which an image is, or would be. */
  around(place: Place): Span {
    const at = this.#chunkOf(place);
    return {
      after: endOf(this.#chunks[at - 1]),
      until: at < this.#chunks.length - 1 ? endOf(this.#chunks[at]) : undefined,
    };
  }

  /** Puts changes in their places. */
  async change(db: Pick<Database, 'rows'>, changes: readonly Change[]): Promise<void> {
    const byChunk = new Map<number, Change[]>();
    for (const change of changes) {
      const at = this.#chunkOf(change);
      const list = byChunk.get(at);
      if (list) list.push(change);
      else byChunk.set(at, [change]);
    }
    const places = [...byChunk.keys()];
    const made = new Map<number, Chunk[]>();
    for (let at = 0; at < places.length; at += AT_ONCE) {
      const some = places.slice(at, at + AT_ONCE);
      const ids = some.flatMap((place) => this.#chunks[place]?.id ?? []);
      const rows = await chunkPlaces.rows(db, { ids });
      for (const place of some) {
        const { id } = this.#chunks[place] ?? {};
        const before = rows.flatMap(({ chunk, imageId, ...item }) =>
          chunk === id && imageId !== null ? [{ ...item, imageId }] : [],
        );
        made.set(place, await this.#write(db, before, byChunk.get(place) ?? []));
      }
    }
    const kept =
      this.#chunks.length === 0
        ? [made.get(0) ?? []]
        : this.#chunks.map((chunk, at) => made.get(at) ?? [chunk]);
    this.#chunks = kept.flat();
  }

  /** The chunk in which an image is, or would be. */
  #chunkOf(place: Place): number {
    let [low, high] = [0, Math.max(0, this.#chunks.length - 1)];
    while (low < high) {
      const middle = (low + high) >> 1;
      const chunk = this.#chunks[middle];
      if (chunk && isBefore({ imageId: chunk.lastImage, createdDate: chunk.lastDate }, place))
        low = middle + 1;
      else high = middle;
    }
    return low;
  }

  async #write(
    db: Pick<Database, 'rows'>,
    before: readonly PlacedItem[],
    changes: readonly Change[],
  ): Promise<Chunk[]> {
    const byImage = new Map<string, PlacedItem>(before.map((item) => [item.imageId, item]));
    for (const { id, imageId, createdDate } of changes)
      if (id === null) byImage.delete(imageId);
      else byImage.set(imageId, { id, imageId, createdDate });
    const items = [...byImage.values()].sort((a, b) => (isBefore(a, b) ? -1 : 1));
    const size = items.length <= 2 * CHUNK ? 2 * CHUNK : CHUNK;
    const chunks: Chunk[] = [];
    for (let at = 0; at < items.length; at += size) {
      const some = items.slice(at, at + size);
      const last = some.at(-1);
      if (!last) break;
      const end = { lastDate: last.createdDate, lastImage: last.imageId };
      const row = await freezeChunk.first(db, {
        datasetId: this.#datasetId,
        items: some.map(({ id }) => id),
        ...end,
      });
      if (row) chunks.push({ id: row.id, ...end });
    }
    return chunks;
  }
}
