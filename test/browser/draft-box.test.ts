import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  boxAfterKey,
  boxBetween,
  boxInTheMiddle,
  boxOfNumbers,
  type Box,
} from '../../src/browser/drawing/draft-box.ts';
import { placeOnThumbnail } from '../../src/browser/drawing/geometry-on-thumbnail.ts';
import { firstPage, readPlace, writePlace } from '../../src/browser/page/place.ts';

const size = fc.record({
  width: fc.integer({ min: 1, max: 20_000 }),
  height: fc.integer({ min: 1, max: 20_000 }),
});
const coordinate = fc.double({ min: -30_000, max: 30_000, noNaN: true });
const key = fc.record({
  key: fc.constantFrom('ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'),
  shiftKey: fc.boolean(),
  altKey: fc.boolean(),
});

/** In whole pixels, of at least one pixel, inside the image: what the gateway takes. */
function isGood(box: Box, image: { width: number; height: number }): boolean {
  const { x, y, width, height } = box;
  return (
    [x, y, width, height].every(Number.isInteger) &&
    boxOfNumbers([x, y, width, height], image) !== undefined
  );
}

describe('a box that is drawn', () => {
  it('is in whole pixels inside the image, wherever it is dragged and however it is moved', () => {
    fc.assert(
      fc.property(
        size,
        fc.tuple(coordinate, coordinate),
        fc.tuple(coordinate, coordinate),
        fc.array(key, { maxLength: 30 }),
        (image, from, to, keys) => {
          let box = boxBetween(from, to, image);
          const good = [isGood(box, image), isGood(boxInTheMiddle(image), image)];
          for (const pressed of keys) {
            box = boxAfterKey(box, pressed, image) ?? box;
            good.push(isGood(box, image));
          }
          expect(good).not.toContain(false);
        },
      ),
    );
  });

  it('keeps its size when it is moved, and its place when it is sized', () => {
    const image = { width: 640, height: 480 };
    const box = { x: 100, y: 80, width: 50, height: 40 };
    const press = (name: string, held: 'shiftKey' | 'altKey' | '' = ''): Box | undefined =>
      boxAfterKey(
        box,
        { key: name, shiftKey: held === 'shiftKey', altKey: held === 'altKey' },
        image,
      );
    expect(press('ArrowLeft')).toEqual({ ...box, x: 94 });
    expect(press('ArrowDown', 'altKey')).toEqual({ ...box, y: 81 });
    expect(press('ArrowRight', 'shiftKey')).toEqual({ ...box, width: 56 });
    expect(press('a')).toBeUndefined();
  });

  it.each([
    [[0, 0, 640, 480], true],
    [[0.5, 0.5, 1, 1], true],
    [[0, 0, 641, 480], false],
    [[-1, 0, 5, 5], false],
    [[1, 1, 0, 5], false],
    [[Number.NaN, 1, 5, 5], false],
    [[1, 1, 5], false],
  ])('is none of the typed numbers unless it is inside the image: %j', (numbers, isBox) => {
    expect(boxOfNumbers(numbers, { width: 640, height: 480 }) !== undefined).toBe(isBox);
  });
});

describe('an image on its thumbnail', () => {
  it('is whole, in the middle, and touches two edges', () => {
    fc.assert(
      fc.property(size, (image) => {
        const { scale, left, top } = placeOnThumbnail(image);
        expect(2 * left + image.width * scale).toBeCloseTo(270);
        expect(2 * top + image.height * scale).toBeCloseTo(200);
        expect(Math.min(left, top)).toBeCloseTo(0);
      }),
    );
  });
});

describe('the address of the page', () => {
  it('is read as it was written, and leads back to the first page', () => {
    const text = fc.string({ minLength: 1, unit: 'grapheme' });
    const place = fc.record(
      { dataset: text, project: text, class: text, state: text, after: text },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(place, (given) => {
        expect(readPlace(writePlace(given))).toEqual(given);
        expect(firstPage(given).after).toBeUndefined();
      }),
    );
  });
});
