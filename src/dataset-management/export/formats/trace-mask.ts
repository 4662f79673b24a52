import { runsOf, type Mask } from '../../projects/annotations/mask.ts';

/** Rows of one column that are inside, from the first on and up to the one behind the last. */
type Interval = [from: number, to: number];

/**
 * The exact outline of a mask, along the edges of its pixels: rings [x1, y1, …] with the inside on their right, so that
 * holes run in the other direction. Pixels that only touch at a corner belong to different rings. Takes time and memory
 * by the number of runs, not of pixels.
 */
export function traceMask(mask: Mask): number[][] {
  const edges = new Edges(mask.size[0] + 1);
  let before: { x: number; intervals: Interval[] } = { x: -1, intervals: [] };
  const borders = (x: number, left: Interval[], right: Interval[]): void => {
    for (const [from, to] of without(right, left)) edges.add(x, to, x, from);
    for (const [from, to] of without(left, right)) edges.add(x, from, x, to);
  };
  for (const { x, intervals } of columnsOf(mask)) {
    for (const [from, to] of intervals) {
      edges.add(x, from, x + 1, from);
      edges.add(x + 1, to, x, to);
    }
    if (before.x === x - 1) borders(x, before.intervals, intervals);
    else {
      borders(before.x + 1, before.intervals, []);
      borders(x, [], intervals);
    }
    before = { x, intervals };
  }
  borders(before.x + 1, before.intervals, []);
  return edges.rings();
}

/** Columns that are not empty, with their intervals. */
function* columnsOf(mask: Mask): Generator<{ x: number; intervals: Interval[] }> {
  const [height] = mask.size;
  let column: { x: number; intervals: Interval[] } | undefined;
  let start = 0;
  for (const [index, run] of (runsOf(mask) ?? []).entries()) {
    if (index % 2 === 1)
      for (let at = start; at < start + run;) {
        const x = Math.floor(at / height);
        const end = Math.min(start + run, (x + 1) * height);
        if (column && column.x !== x) {
          yield column;
          column = undefined;
        }
        column ??= { x, intervals: [] };
        const last = column.intervals.at(-1);
        if (last && last[1] === at % height) last[1] = end - x * height;
        else column.intervals.push([at - x * height, end - x * height]);
        at = end;
      }
    start += run;
  }
  if (column) yield column;
}

/** What of the first intervals the second do not cover; both ascending. */
function without(intervals: readonly Interval[], others: readonly Interval[]): Interval[] {
  const left: Interval[] = [];
  let next = 0;
  for (const [from, to] of intervals) {
    let at = from;
    while ((others[next]?.[1] ?? Infinity) <= at) next++;
    for (let index = next; at < to; index++) {
      const [start, end] = others[index] ?? [to, to];
      if (start > at) left.push([at, Math.min(start, to)]);
      at = Math.max(at, end);
      if (start >= to) break;
    }
  }
  return left;
}

/** Edges that lead from corner to corner, until they are rings. */
class Edges {
  readonly #next = new Map<number, number[]>();
  /** Corners of a column. */
  readonly #step: number;

  constructor(step: number) {
    this.#step = step;
  }

  add(x1: number, y1: number, x2: number, y2: number): void {
    const [from, to] = [x1 * this.#step + y1, x2 * this.#step + y2];
    const list = this.#next.get(from);
    if (list) list.push(to);
    else this.#next.set(from, [to]);
  }

  rings(): number[][] {
    const rings: number[][] = [];
    for (const [start, ends] of this.#next) while (ends.length > 0) rings.push(this.#follow(start));
    return rings;
  }

  /** The ring that begins with an edge at a corner; its edges are gone after that. */
  #follow(start: number): number[] {
    const corners: number[] = [];
    let [from, at] = [start, this.#take(start, start)];
    corners.push(start);
    while (at !== start) {
      corners.push(at);
      const next = this.#take(at, from);
      [from, at] = [at, next];
    }
    return this.#straight(corners);
  }

  /** Where two edges go on, the one to the right: it stays with the same pixel. */
  #take(at: number, from: number): number {
    const ends = this.#next.get(at) ?? [];
    const [x1, y1] = this.#direction(from, at);
    const right = ends.findIndex((end) => {
      const [x2, y2] = this.#direction(at, end);
      return x1 * y2 - y1 * x2 > 0;
    });
    return ends.splice(Math.max(right, 0), 1)[0] ?? at;
  }

  #direction(from: number, to: number): [number, number] {
    const [x1, x2] = [Math.floor(from / this.#step), Math.floor(to / this.#step)];
    return [Math.sign(x2 - x1), x1 === x2 ? Math.sign(to - from) : 0];
  }

  /** The coordinates of the corners at which a ring turns. */
  #straight(corners: readonly number[]): number[] {
    return corners.flatMap((corner, index) => {
      const before = corners.at(index - 1) ?? corner;
      const after = corners[(index + 1) % corners.length] ?? corner;
      const [x1, y1] = this.#direction(before, corner);
      const [x2, y2] = this.#direction(corner, after);
      return x1 === x2 && y1 === y2 ? [] : [Math.floor(corner / this.#step), corner % this.#step];
    });
  }
}
