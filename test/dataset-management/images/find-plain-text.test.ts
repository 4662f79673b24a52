import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { findPlainText } from '../../../src/dataset-management/images/upload/find-plain-text.ts';
import { jpeg, picture } from '../../support/images.ts';

/** Bytes as good as random, the same on every run. */
const spread = (seed: number, length: number): Buffer =>
  createCipheriv(
    'aes-256-ctr',
    createHash('sha256').update(`${seed}`).digest(),
    Buffer.alloc(16),
  ).update(Buffer.alloc(length));
/** A vector and ciphertext, as the client library makes it. */
const encrypted = (seed: number, plain: Buffer): Buffer => {
  const [key, vector] = [spread(seed, 32), spread(seed + 1, 16)];
  const cipher = createCipheriv('aes-256-cbc', key, vector);
  return Buffer.concat([vector, cipher.update(plain), cipher.final()]);
};
const padded = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((16 - (bytes.length % 16)) % 16)]);
/** 24 bits, as Windows writes it. */
const bmp = (pixels: Buffer): Buffer => {
  const head = Buffer.alloc(54);
  head.write('BM');
  head.writeUInt32LE(54 + pixels.length, 2);
  head.writeUInt32LE(54, 10);
  head.writeUInt32LE(40, 14);
  return Buffer.concat([head, pixels]);
};
const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect/></svg>';
const photo = await picture(120, 90).raw().toBuffer();
const plain: [string, Buffer][] = [
  ['zeros', Buffer.alloc(64)],
  ['few zeros', Buffer.alloc(32)],
  ['one byte again and again', Buffer.alloc(4_096, 0xa5)],
  ['SVG', Buffer.from(svg)],
  ['a short text', Buffer.from('These are thirty-two characters.')],
  ['Hebrew text', Buffer.from('שלום עולם, זה טקסט רגיל שאינו מוצפן')],
  ['German text', Buffer.from('Größere Äpfel fürs Frühstück, bitte '.repeat(30))],
  ['UTF-16 text', Buffer.from('This is a text of two bytes a character '.repeat(4), 'utf16le')],
  ['PDF', Buffer.concat([Buffer.from('%PDF-1.7\n%\xe2\xe3\n'), spread(1, 3_000)])],
  ['BMP of a photo', bmp(photo)],
  ['BMP of noise', bmp(spread(2, 1_200))],
  ['pixels without a head', photo],
  ['a JPEG', await jpeg(300, 200)],
  [
    'a small PNG',
    await sharp(await jpeg(20, 20))
      .png()
      .toBuffer(),
  ],
  [
    'a WebP',
    await sharp(await jpeg(90, 90))
      .webp()
      .toBuffer(),
  ],
  [
    'an AVIF',
    await sharp(await jpeg(90, 90))
      .avif()
      .toBuffer(),
  ],
  [
    'a TIFF',
    await sharp(await jpeg(90, 90))
      .tiff()
      .toBuffer(),
  ],
  ['JSON', Buffer.from(JSON.stringify({ a: Array.from({ length: 40 }, (_, n) => n) }))],
  ['a ZIP', Buffer.concat([Buffer.from('PK\x03\x04\x14\0\0\0'), spread(3, 500)])],
  ['what openssl makes of a password', Buffer.concat([Buffer.from('Salted__'), spread(5, 1_608)])],
  [
    'blocks that are encrypted each by itself',
    Buffer.concat([...Array(4)].map(() => spread(4, 16))),
  ],
];

describe('D-69 what is seen not to be encrypted', () => {
  test.each(plain)('refuses %s, also behind a vector', (_name, bytes) => {
    expect(findPlainText(padded(bytes))).toBeTypeOf('string');
    if (bytes.length >= 64)
      expect(findPlainText(Buffer.concat([spread(9, 16), padded(bytes)]))).toBeTypeOf('string');
  });

  test.each(plain)('takes %s once it is encrypted', (_name, bytes) => {
    for (let seed = 0; seed < 20; seed++)
      expect(findPlainText(encrypted(seed, bytes))).toBeUndefined();
  });

  test('takes random bytes of every length', () => {
    fc.assert(
      fc.property(
        fc.nat(1_000_000_000),
        fc.oneof(fc.integer({ min: 2, max: 40 }), fc.integer({ min: 2, max: 4_000 })),
        (seed, blocks) => findPlainText(spread(seed, blocks * 16)) === undefined,
      ),
      { numRuns: 3_000, seed: 17 },
    );
    for (let n = 0; n < 4; n++) expect(findPlainText(randomBytes(1_048_576))).toBeUndefined();
  });
});
