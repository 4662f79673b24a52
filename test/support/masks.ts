import fc from 'fast-check';

/** Run lengths of any mask of so many pixels. */
export function runs(pixels: number): fc.Arbitrary<number[]> {
  return fc
    .uniqueArray(fc.integer({ min: 0, max: pixels - 1 }), { maxLength: 30 })
    .map((cuts) => [...cuts.sort((a, b) => a - b), pixels])
    .map((ends) => ends.map((end, at) => end - (ends[at - 1] ?? 0)));
}

/** Run lengths as COCO compresses them: five bits a character, from the fourth on the difference to the last but one. */
export function compressRuns(counts: readonly number[]): string {
  let text = '';
  counts.forEach((count, at) => {
    let value = at > 2 ? count - (counts[at - 2] ?? 0) : count;
    for (let more = true; more;) {
      let bits = value & 31;
      value >>= 5;
      more = bits & 16 ? value !== -1 : value !== 0;
      if (more) bits |= 32;
      text += String.fromCharCode(bits + 48);
    }
  });
  return text;
}
