/** Digits of a pixel that formats which count in parts of an image keep, whatever their own rounding. */
const PART = 1000;

/** Pixels from a part of a side (0 to 1), to a thousandth: so that whole pixels come back as whole ones. */
export function pixelsOf(part: number, side: number): number {
  return roundPixels(part * side);
}

/** The same of pixels. */
export function roundPixels(pixels: number): number {
  const rounded = Math.round(pixels * PART) / PART;
  return rounded === 0 ? 0 : rounded;
}

/** A box [x, y, width, height] from its centre and size in parts of an image. */
export function boxOfParts(
  [x = 0, y = 0, width = 0, height = 0]: readonly number[],
  image: { width: number; height: number },
): number[] {
  const left = pixelsOf(x - width / 2, image.width);
  const top = pixelsOf(y - height / 2, image.height);
  return [
    left,
    top,
    roundPixels(pixelsOf(x + width / 2, image.width) - left),
    roundPixels(pixelsOf(y + height / 2, image.height) - top),
  ];
}

/** Whether two boxes are the same but for rounding. */
export function sameBox(one: readonly number[], other: readonly number[]): boolean {
  return one.every((value, at) => Math.abs(value - (other[at] ?? NaN)) <= 2 / PART);
}
