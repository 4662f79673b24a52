/** A source of pseudo-random choices: the same seed gives the same demo. */
export interface Random {
  /** 0 ≤ n < below. */
  int(below: number): number;
  chance(probability: number): boolean;
  pick<const T>(items: readonly T[]): T;
  /** Picks by weight. */
  weigh<const T>(items: readonly (readonly [T, number])[]): T;
}

/** Mulberry32: small, fast, and good enough for demo data. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (below: number): number => Math.floor(next() * below);
  const itemAt = <T>(items: readonly T[], index: number): T => {
    const item = items[index];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  };
  return {
    int,
    chance: (probability) => next() < probability,
    pick: (items) => itemAt(items, int(items.length)),
    weigh: (items) => {
      let left = next() * items.reduce((sum, [, weight]) => sum + weight, 0);
      return itemAt(
        items,
        items.findIndex(([, weight]) => (left -= weight) < 0),
      )[0];
    },
  };
}
