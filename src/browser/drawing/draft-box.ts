/** A box that is being drawn, in pixels of the image. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Size {
  width: number;
  height: number;
}

const ARROWS = new Map<string, readonly [number, number]>([
  ['ArrowLeft', [-1, 0]],
  ['ArrowRight', [1, 0]],
  ['ArrowUp', [0, -1]],
  ['ArrowDown', [0, 1]],
]);

/** The box between two corners, in whole pixels inside the image. */
export function boxBetween(
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
  image: Size,
): Box {
  const x = clamp(Math.min(x1, x2), 0, image.width - 1);
  const y = clamp(Math.min(y1, y2), 0, image.height - 1);
  return {
    x,
    y,
    width: clamp(Math.max(x1, x2) - x, 1, image.width - x),
    height: clamp(Math.max(y1, y2) - y, 1, image.height - y),
  };
}

/** A box in the middle, to begin with by keyboard. */
export function boxInTheMiddle({ width, height }: Size): Box {
  return boxBetween([(width * 3) / 8, (height * 3) / 8], [(width * 5) / 8, (height * 5) / 8], {
    width,
    height,
  });
}

/** What an arrow key does to a box: moves it by a hundredth of the image, or sizes it with Shift, by one pixel with Alt. */
export function boxAfterKey(
  box: Box,
  { key, shiftKey, altKey }: { key: string; shiftKey: boolean; altKey: boolean },
  image: Size,
): Box | undefined {
  const step = altKey ? 1 : Math.max(1, Math.round(Math.max(image.width, image.height) / 100));
  const [dx, dy] = ARROWS.get(key) ?? [0, 0];
  if (dx === 0 && dy === 0) return undefined;
  const { x, y, width, height } = box;
  return shiftKey
    ? {
        x,
        y,
        width: clamp(width + dx * step, 1, image.width - x),
        height: clamp(height + dy * step, 1, image.height - y),
      }
    : {
        x: clamp(x + dx * step, 0, image.width - width),
        y: clamp(y + dy * step, 0, image.height - height),
        width,
        height,
      };
}

/** The box of four typed numbers; undefined unless it is inside the image. */
export function boxOfNumbers(
  [x, y, width, height]: readonly number[],
  image: Size,
): Box | undefined {
  if (x === undefined || y === undefined || width === undefined || height === undefined)
    return undefined;
  const fits =
    x >= 0 &&
    y >= 0 &&
    width > 0 &&
    height > 0 &&
    x + width <= image.width &&
    y + height <= image.height;
  return fits ? { x, y, width, height } : undefined;
}

function clamp(value: number, least: number, most: number): number {
  return Math.round(Math.min(Math.max(value, least), Math.max(least, most)));
}
