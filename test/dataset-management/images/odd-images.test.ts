import { deflateSync, crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failure, startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg, picture } from '../../support/images.ts';

const [WIDTH, HEIGHT] = [60, 40];
const plain = (): Sharp => picture(WIDTH, HEIGHT);
const flat = (channels: 3 | 4, width = WIDTH, height = HEIGHT): Sharp =>
  sharp({ create: { width, height, channels, background: { r: 9, g: 99, b: 199, alpha: 0.5 } } });
const deep = (width: number, height: number): Sharp =>
  sharp(
    new Uint16Array(width * height * 3).map((_, index) => (index * 977) % 65_536),
    {
      raw: { width, height, channels: 3 },
    },
  ).toColourspace('rgb16');
const pages = (count: number): Promise<Sharp> =>
  plain()
    .removeAlpha()
    .raw()
    .toBuffer()
    .then((page) =>
      sharp(Buffer.concat(Array.from({ length: count }, () => page)), {
        raw: { width: WIDTH, height: HEIGHT * count, channels: 3, pageHeight: HEIGHT },
      }),
    );
const joined = async (first: Buffer | Promise<Buffer>, then: Buffer | Promise<Buffer>) =>
  Buffer.concat([await first, await then]);
const chunk = (name: string, body: Buffer): Buffer => {
  const text = Buffer.concat([Buffer.from(name), body]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(text));
  return Buffer.concat([length, text, sum]);
};
/** A PNG whose head claims what it likes. */
const png = (width: number, height: number, body: Buffer, depth = 8, colour = 0): Buffer => {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([depth, colour], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', body),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};
const half = async (bytes: Buffer | Promise<Buffer>): Promise<Buffer> => {
  const whole = await bytes;
  return whole.subarray(0, whole.length >> 1);
};

/** Name, bytes, type, and the size where it is another one. */
const taken: [string, () => Promise<Buffer> | Buffer, string, [number, number]?][] = [
  ['a grey JPEG', () => plain().greyscale().jpeg().toBuffer(), 'jpeg'],
  ['a CMYK JPEG', () => plain().toColourspace('cmyk').jpeg().toBuffer(), 'jpeg'],
  ['a progressive JPEG', () => plain().jpeg({ progressive: true }).toBuffer(), 'jpeg'],
  ['a JPEG at 4:4:4', () => plain().jpeg({ chromaSubsampling: '4:4:4' }).toBuffer(), 'jpeg'],
  ['a JPEG with a wide profile', () => plain().withIccProfile('p3').jpeg().toBuffer(), 'jpeg'],
  ['a CMYK JPEG with a profile', () => plain().withIccProfile('cmyk').jpeg().toBuffer(), 'jpeg'],
  [
    'a JPEG with bytes behind its end',
    () => joined(jpeg(WIDTH, HEIGHT), Buffer.alloc(999, 7)),
    'jpeg',
  ],
  ['two JPEGs in one file', () => joined(jpeg(WIDTH, HEIGHT), jpeg(9, 9)), 'jpeg'],
  [
    'a JPEG that is a script behind its end',
    () => joined(jpeg(WIDTH, HEIGHT), Buffer.from('<?php ?>')),
    'jpeg',
  ],
  ['a JPEG of one pixel', () => jpeg(1, 1), 'jpeg', [1, 1]],
  [
    'a JPEG as wide as the format goes',
    () => flat(3, 65_500, 1).jpeg().toBuffer(),
    'jpeg',
    [65_500, 1],
  ],
  [
    'a JPEG as high as the format goes',
    () => flat(3, 1, 65_500).jpeg().toBuffer(),
    'jpeg',
    [1, 65_500],
  ],
  ['a palette PNG', () => plain().png({ palette: true, colours: 8 }).toBuffer(), 'png'],
  ['a PNG of two colours', () => plain().png({ palette: true, colours: 2 }).toBuffer(), 'png'],
  ['an interlaced PNG', () => plain().png({ progressive: true }).toBuffer(), 'png'],
  ['a 16-bit PNG', () => deep(WIDTH, HEIGHT).png().toBuffer(), 'png'],
  ['a 16-bit grey PNG', () => deep(WIDTH, HEIGHT).toColourspace('grey16').png().toBuffer(), 'png'],
  ['a 1-bit PNG', () => png(WIDTH, HEIGHT, deflateSync(Buffer.alloc(HEIGHT * 9)), 1), 'png'],
  ['a PNG that can be seen through', () => flat(4).png().toBuffer(), 'png'],
  [
    'a grey PNG that can be seen through',
    () => flat(4).toColourspace('b-w').png().toBuffer(),
    'png',
  ],
  [
    'a PNG with text behind its end',
    () => joined(plain().png().toBuffer(), Buffer.from('text')),
    'png',
  ],
  ['a lossless WebP', () => plain().webp({ lossless: true }).toBuffer(), 'webp'],
  ['a WebP that can be seen through', () => flat(4).webp().toBuffer(), 'webp'],
  ['an animated WebP: its first picture', async () => (await pages(3)).webp().toBuffer(), 'webp'],
  ['an animated GIF: its first picture', async () => (await pages(3)).gif().toBuffer(), 'gif'],
  ['an interlaced GIF', () => plain().gif({ progressive: true }).toBuffer(), 'gif'],
  ...(['none', 'lzw', 'deflate', 'packbits', 'jpeg'] as const).map(
    (compression): (typeof taken)[number] => [
      `a TIFF, ${compression}`,
      () => plain().tiff({ compression }).toBuffer(),
      'tiff',
    ],
  ),
  ['a 16-bit TIFF', () => deep(WIDTH, HEIGHT).tiff().toBuffer(), 'tiff'],
  ['a CMYK TIFF', () => plain().toColourspace('cmyk').tiff().toBuffer(), 'tiff'],
  ['a Lab TIFF', () => plain().toColourspace('lab').tiff().toBuffer(), 'tiff'],
  [
    'a TIFF of tiles and smaller copies',
    () => plain().tiff({ tile: true, pyramid: true, tileWidth: 16, tileHeight: 16 }).toBuffer(),
    'tiff',
  ],
  ['a 1-bit TIFF', () => plain().greyscale().tiff({ bitdepth: 1 }).toBuffer(), 'tiff'],
  ['a lossless AVIF', () => plain().avif({ lossless: true }).toBuffer(), 'avif'],
  ['an AVIF that can be seen through', () => flat(4).avif().toBuffer(), 'avif'],
  ...[1, 2, 3, 4, 5, 6, 7, 8].flatMap((orientation) =>
    (['jpeg', 'png', 'webp', 'tiff'] as const).map((type): (typeof taken)[number] => [
      `a ${type} of orientation ${orientation}`,
      () => plain().withMetadata({ orientation }).toFormat(type).toBuffer(),
      type,
      orientation < 5 ? [WIDTH, HEIGHT] : [HEIGHT, WIDTH],
    ]),
  ),
];
const [damaged, unknown] = ['INVALID_IMAGE', 'UNSUPPORTED_IMAGE_TYPE'] as const;
const refused: [string, () => Promise<Buffer> | Buffer, string][] = [
  ...(['jpeg', 'png', 'webp', 'gif', 'avif'] as const).map((type): (typeof refused)[number] => [
    `half a ${type}`,
    () => half(picture(400, 300).toFormat(type).toBuffer()),
    damaged,
  ]),
  [
    'a PNG that claims 4 billion pixels',
    () => png(65_535, 65_535, deflateSync(Buffer.alloc(9))),
    damaged,
  ],
  ['a PNG of no width', () => png(0, 9, deflateSync(Buffer.alloc(9))), damaged],
  ['a PNG without its rows', () => png(WIDTH, HEIGHT, Buffer.alloc(0)), damaged],
  ['a PNG whose rows are noise', () => png(WIDTH, HEIGHT, Buffer.alloc(300, 0xa7)), damaged],
  ['a GIF head alone', () => Buffer.from('GIF89a\x01\x00\x01\x00\x80\x00\x00', 'latin1'), damaged],
  ['a JPEG head alone', () => Buffer.from('\xff\xd8\xff\xe0\x00\x10JFIF\x00', 'latin1'), damaged],
  [
    'a TIFF whose directory is itself',
    () => Buffer.from('II*\x00\x00\x00\x00\x00', 'latin1'),
    unknown,
  ],
  // Its directory stands at its end.
  ['half a tiff', () => half(picture(400, 300).tiff().toBuffer()), unknown],
  ['a BMP', () => joined(Buffer.from('BM'), Buffer.alloc(100)), unknown],
  ['a PDF', () => Buffer.from('%PDF-1.7\n%%EOF'), unknown],
  [
    'an SVG with an XML head',
    () => Buffer.from('<?xml version="1.0"?><svg width="9" height="9"/>'),
    unknown,
  ],
  ['a PPM', () => Buffer.from('P6 1 1 255\n\0\0\0'), unknown],
  ['one byte', () => Buffer.from('x'), unknown],
  ['bytes in front of a JPEG', () => joined(Buffer.alloc(16), jpeg()), unknown],
];

describe('D-67 D-68 odd images', () => {
  let app: DatasetApp;
  let dataset: string;
  beforeAll(async () => {
    app = await startDatasetApp('filesystem');
    dataset = await app.dataset(await app.workspace());
  });
  afterAll(() => app.close());

  test.each(taken)('takes %s', async (_name, make, type, size = [WIDTH, HEIGHT]) => {
    const bytes = await make();
    // The name says something else: the content counts.
    const id = await app.image(dataset, bytes, type === 'png' ? 'a.jpg' : 'a.png');
    const { data } = await app.gql(
      'query ($uuid: UUID!) { image(uuid: $uuid) { width height } }',
      { uuid: id },
      app.tokens.owner,
    );
    expect([data.image.width, data.image.height]).toEqual(size);
    const file = await app.download(`/api/Images/download?imageId=${id}`);
    expect([file.headers.get('content-type'), file.bytes.equals(bytes)]).toEqual([
      `image/${type}`,
      true,
    ]);
    const thumbnail = await app.download(`/api/Images/downloadThumb?imageId=${id}`);
    expect(await sharp(thumbnail.bytes).metadata()).toMatchObject({
      format: 'jpeg',
      width: 270,
      height: 200,
      space: 'srgb',
    });
  });

  test.each(refused)('refuses %s', async (_name, make, code) => {
    expect(
      await app.upload({ DatasetId: dataset, FileName: 'x.jpg', Image: await make() }),
    ).toMatchObject(failure(400, code));
  });
});
