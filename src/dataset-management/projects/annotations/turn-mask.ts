/** Pixels of a picture that are inside: from one on and up to the one behind the last, in turn, ascending. */
export type Bounds = readonly number[];

/**
 * Reads a picture of `lines` lines with `length` pixels each the other way: the first pixels of all lines, then the second
 * ones, and so on. `inside` counts its pixels line by line. `take` is given the stretches of what is outside or inside,
 * in turn, and returns whether it wants more. Takes time and memory by the number of stretches on both sides, not of
 * pixels. No generator, because there may be millions of stretches.
 */
export function turnMask(
  inside: Bounds,
  { length, lines }: { length: number; lines: number },
  take: (pixels: number, isInside: boolean) => boolean,
): void {
  const changes = changesOf(inside, { length, lines });
  const across = new Uint8Array(lines);
  let [pixels, isInside, next] = [0, false, 0];
  for (let at = 0; at < length;) {
    for (; (changes[next] ?? Infinity) < (at + 1) * lines; next++) {
      const line = (changes[next] ?? 0) % lines;
      across[line] = across[line] === 1 ? 0 : 1;
    }
    const until = Math.min(length, Math.floor((changes[next] ?? Infinity) / lines));
    // Their stretches, beginning with one inside or outside, until the next change.
    const stretches = stretchesOf(across);
    const first = across[0] === 1;
    const alone = stretches.length === 1;
    for (let times = alone ? 1 : until - at; times > 0; times--)
      for (let index = 0; index < stretches.length; index++) {
        const here = (index % 2 === 0) === first;
        const some = (stretches[index] ?? 0) * (alone ? until - at : 1);
        if (here === isInside) pixels += some;
        else {
          if (pixels > 0 && !take(pixels, isInside)) return;
          [pixels, isInside] = [some, here];
        }
      }
    at = until;
  }
  if (pixels > 0) take(pixels, isInside);
}

/** Where lines change from outside to inside or back: the place in the line, times the number of lines, and the line. */
function changesOf(
  inside: Bounds,
  { length, lines }: { length: number; lines: number },
): Float64Array {
  const changes: number[] = [];
  for (let index = 0; index < inside.length; index += 2) {
    const to = inside[index + 1] ?? 0;
    for (let start = inside[index] ?? 0; start < to;) {
      const line = Math.floor(start / length);
      const end = Math.min(to, (line + 1) * length);
      changes.push((start - line * length) * lines + line, (end - line * length) * lines + line);
      start = end;
    }
  }
  return Float64Array.from(changes).sort();
}

function stretchesOf(pixels: Uint8Array): number[] {
  const stretches: number[] = [];
  for (let at = 0; at < pixels.length;) {
    const next = pixels.indexOf(pixels[at] === 1 ? 0 : 1, at);
    const end = next === -1 ? pixels.length : next;
    stretches.push(end - at);
    at = end;
  }
  return stretches;
}
