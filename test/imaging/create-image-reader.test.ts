import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InspectedImage } from '../../src/core/context/imaging.ts';
import { createImageReader } from '../../src/imaging/create-image-reader.ts';
import { jpeg, picture } from '../support/images.ts';

let folder: string;
let count = 0;
const engine = createImageReader({
  maxPixels: 268_402_689,
  maxBufferedPixels: 4_000_000,
  timeoutSeconds: 10,
  parallel: 1,
});
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trivium-imaging-'));
});
afterAll(() => rm(folder, { recursive: true }));

const file = async (bytes: Buffer | string): Promise<string> => {
  const path = join(folder, `f${count++}`);
  await writeFile(path, bytes);
  return path;
};
const inspect = async (bytes: Buffer | string): Promise<InspectedImage> =>
  engine.inspect(await file(bytes));
const refusal = async (bytes: Buffer | string): Promise<unknown> =>
  inspect(bytes).then(
    () => 'accepted',
    (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
  );
/** Red, green and blue of one pixel. */
const pixel = async (image: Buffer, left: number, top: number): Promise<number[]> => [
  ...(await sharp(image)
    .extract({ left, top, width: 1, height: 1 })
    .removeAlpha()
    .raw()
    .toBuffer()),
];

describe('types by content (D-68)', () => {
  test.each(['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const)('takes %s', async (type) => {
    const found = await inspect(await picture(400, 300).toFormat(type).toBuffer());
    expect(found).toMatchObject({ type, width: 400, height: 300 });
  });

  test.each([
    [
      'SVG',
      '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="5" height="5"/></svg>',
    ],
    [
      'SVG with a declaration',
      '<?xml version="1.0"?><!DOCTYPE svg><svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>',
    ],
    ['HTML', '<!doctype html><script>alert(1)</script>'],
    ['PDF', '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj'],
    ['PPM', 'P6 1 1 255 \0\0\0'],
    ['zero bytes', ''],
    ['text', 'hello'],
  ])('refuses %s', async (_name, bytes) => {
    expect(await refusal(bytes)).toBe('UNSUPPORTED_IMAGE_TYPE');
  });

  test('takes a polyglot for the image that it is and keeps its tail out of the thumbnail', async () => {
    const found = await inspect(
      Buffer.concat([await jpeg(), Buffer.from('PK\x03\x04<script>alert(1)</script>')]),
    );
    expect(found.type).toBe('jpeg');
    expect(found.thumbnail.includes('<script>')).toBe(false);
  });
});

describe('F215 thumbnail (D-67)', () => {
  test.each([
    [400, 300],
    [1, 1],
    [3000, 10],
    [10, 3000],
    [270, 200],
  ])('is 270 × 200 for an image of %i × %i', async (width, height) => {
    const { thumbnail } = await inspect(await jpeg(width, height));
    expect(await sharp(thumbnail).metadata()).toMatchObject({
      format: 'jpeg',
      width: 270,
      height: 200,
    });
  });

  test('shows the whole image on white', async () => {
    const { thumbnail } = await inspect(await picture(200, 200).png().toBuffer());
    expect(await pixel(thumbnail, 5, 100)).toEqual([255, 255, 255]);
    const [red = 0, green = 0] = await pixel(thumbnail, 60, 40);
    expect(red).toBeGreaterThan(240);
    expect(green).toBeLessThan(15);
  });

  test('puts transparency on white', async () => {
    const { thumbnail } = await inspect(
      await sharp({
        create: { width: 50, height: 50, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
      })
        .png()
        .toBuffer(),
    );
    expect(await pixel(thumbnail, 135, 100)).toEqual([255, 255, 255]);
  });

  test('carries no metadata', async () => {
    const withMetadata = await picture(400, 300)
      .withExif({ IFD0: { Copyright: 'Somebody', Artist: 'Someone' } })
      .withIccProfile('p3')
      .jpeg()
      .toBuffer();
    const { thumbnail } = await inspect(withMetadata);
    const metadata = await sharp(thumbnail).metadata();
    expect([metadata.exif, metadata.icc, metadata.xmp]).toEqual([undefined, undefined, undefined]);
    expect(thumbnail.includes('Somebody')).toBe(false);
  });
});

/** By orientation, from 1: how a camera has turned what it stores. */
const turnings: ((image: Sharp) => Sharp)[] = [
  (image) => image,
  (image) => image.flop(),
  (image) => image.rotate(180),
  (image) => image.flip(),
  (image) => image.rotate(270).flop(),
  (image) => image.rotate(270),
  (image) => image.rotate(90).flop(),
  (image) => image.rotate(90),
];

describe('upright size (D-68)', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('of EXIF orientation %i', async (orientation) => {
    const upright = await picture(400, 300).png().toBuffer();
    // Stores the picture so that applying the orientation brings it back upright.
    const stored = turnings[orientation - 1]?.(sharp(upright));
    const turned = await sharp(await stored?.png().toBuffer())
      .withMetadata({ orientation })
      .jpeg({ quality: 95 })
      .toBuffer();
    const found = await inspect(turned);
    expect([found.width, found.height]).toEqual([400, 300]);
    const [red = 0, green = 0, blue = 0] = await pixel(found.thumbnail, 40, 40);
    expect(red).toBeGreaterThan(230);
    expect(green + blue).toBeLessThan(60);
    const [redRight = 255] = await pixel(found.thumbnail, 220, 40);
    expect(redRight).toBeLessThan(40);
  });

  test('a 400 × 300 file with orientation 6 is 300 × 400', async () => {
    expect(
      await inspect(await picture(400, 300).withMetadata({ orientation: 6 }).jpeg().toBuffer()),
    ).toMatchObject({ width: 300, height: 400 });
  });
});

describe('unusual images', () => {
  test('CMYK', async () => {
    const found = await inspect(await picture(400, 300).toColourspace('cmyk').jpeg().toBuffer());
    expect(found).toMatchObject({ type: 'jpeg', width: 400, height: 300 });
    expect((await sharp(found.thumbnail).metadata()).space).toBe('srgb');
    const [red = 0, green = 255] = await pixel(found.thumbnail, 40, 40);
    expect(red).toBeGreaterThan(200);
    expect(green).toBeLessThan(70);
  });

  test('16 bit', async () => {
    const found = await inspect(await picture(400, 300).toColourspace('rgb16').png().toBuffer());
    expect(found).toMatchObject({ type: 'png', width: 400, height: 300 });
    expect((await sharp(found.thumbnail).metadata()).depth).toBe('uchar');
    expect((await pixel(found.thumbnail, 40, 40))[0]).toBeGreaterThan(240);
  });

  test('16 bit grey TIFF', async () => {
    const grey = await sharp(await jpeg())
      .toColourspace('grey16')
      .tiff()
      .toBuffer();
    expect(await inspect(grey)).toMatchObject({ type: 'tiff', width: 400, height: 300 });
  });

  test('animated GIF and WebP: the first frame', async () => {
    const frames = ['red', 'green', 'blue'].map((background) => ({
      create: { width: 60, height: 40, channels: 3 as const, background },
    }));
    for (const type of ['gif', 'webp'] as const) {
      const animated = await sharp(
        await Promise.all(frames.map((frame) => sharp(frame).png().toBuffer())),
        { join: { animated: true } },
      )
        .toFormat(type)
        .toBuffer();
      expect((await sharp(animated).metadata()).pages).toBe(3);
      const found = await inspect(animated);
      expect(found).toMatchObject({ type, width: 60, height: 40 });
      expect((await pixel(found.thumbnail, 135, 100))[0]).toBeGreaterThan(200);
    }
  });
});

describe('hostile images', () => {
  test.each(['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const)(
    'refuses a truncated %s',
    async (type) => {
      const whole = await picture(1200, 900).toFormat(type).toBuffer();
      for (const part of [0.3, 0.6, 0.9]) {
        expect(await refusal(whole.subarray(0, Math.floor(whole.length * part)))).toMatch(
          /^(INVALID_IMAGE|UNSUPPORTED_IMAGE_TYPE)$/,
        );
      }
    },
  );

  test('refuses a file that claims 60,000 × 60,000 pixels before it decodes anything', async () => {
    const started = performance.now();
    expect(await refusal(hugePng(60_000, 60_000))).toBe('INVALID_IMAGE');
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test('refuses a flipped byte in a PNG', async () => {
    const bytes = await picture(300, 300).png().toBuffer();
    bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 0xff, bytes.length >> 1);
    expect(await refusal(bytes)).toBe('INVALID_IMAGE');
  });

  test.each([
    ['progressive JPEG', (image: Sharp) => image.jpeg({ progressive: true })],
    ['interlaced PNG', (image: Sharp) => image.png({ progressive: true })],
    ['GIF', (image: Sharp) => image.gif({ effort: 1 })],
    ['WebP', (image: Sharp) => image.webp({ effort: 0 })],
  ])('refuses a %s with more pixels than may be held in memory', async (_name, encode) => {
    const flat = (side: number): Sharp =>
      sharp({ create: { width: side, height: side, channels: 3, background: 'red' } });
    expect(await refusal(await encode(flat(2001)).toBuffer())).toBe('INVALID_IMAGE');
    expect(await refusal(await encode(flat(2000)).toBuffer())).toBe('accepted');
    expect(await refusal(await flat(2001).jpeg().toBuffer())).toBe('accepted');
  });

  test('gives up after the time limit', async () => {
    const impatient = createImageReader({
      maxPixels: 268_402_689,
      maxBufferedPixels: 268_402_689,
      timeoutSeconds: 1,
      parallel: 1,
    });
    const slow = await file(
      await sharp({ create: { width: 12_000, height: 12_000, channels: 3, background: 'red' } })
        .png({ progressive: true, compressionLevel: 1 })
        .toBuffer(),
    );
    const started = performance.now();
    const outcome = await impatient.inspect(slow).then(
      () => 'decoded',
      (error: unknown) => String(error),
    );
    if (performance.now() - started > 1500) expect(outcome).toContain('takes too long');
  }, 60_000);
});

test('runs at most the set number of jobs at once, and a failed job frees its place', async () => {
  const paths = await Promise.all(
    [
      jpeg(),
      Promise.resolve(Buffer.from('no image')),
      jpeg(),
      Promise.resolve(Buffer.from('')),
      jpeg(),
    ].map(async (bytes) => file(await bytes)),
  );
  const results = await Promise.allSettled(paths.map((path) => engine.inspect(path)));
  expect(results.map((result) => result.status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
});

test('tells ciphertext from images (F214)', async () => {
  expect(await engine.isImage(await file(await jpeg()))).toBe(true);
  expect(
    await engine.isImage(
      await file(
        Buffer.from([0xff, 0xd8, 0xff, ...Array.from({ length: 61 }, (_, index) => index)]),
      ),
    ),
  ).toBe(false);
});

/** A PNG whose header claims a size that its data don't have. */
function hugePng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const framed = Buffer.alloc(body.length + 8);
    framed.writeUInt32BE(data.length, 0);
    framed.set(body, 4);
    framed.writeUInt32BE(crc32(body), body.length + 4);
    return framed;
  };
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(1000))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
