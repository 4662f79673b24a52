import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Sha256 } from '../../src/sdk/archive/sha256.ts';
import { decryptPieces, encrypt, makeKey } from '../../src/sdk/e2ee.ts';

const cutUp = (bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] => {
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  );
  return places.map((place, index) => bytes.subarray(places[index - 1] ?? 0, place));
};

test('SHA-256 is that of Node, in whatever pieces the bytes come', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.array(fc.nat()), (bytes, cuts) => {
      const hash = new Sha256();
      for (const piece of cutUp(bytes, cuts)) hash.update(piece);
      expect(hash.hex()).toBe(createHash('sha256').update(bytes).digest('hex'));
    }),
  );
});

test('ciphertext is decrypted in whatever pieces it comes, also where it is long', async () => {
  const key = await makeKey();
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.nat(100), fc.integer({ min: 524_000, max: 525_000 }), fc.constant(262_144)),
      fc.array(fc.nat(), { maxLength: 5 }),
      async (length, cuts) => {
        const plain = Buffer.alloc(length, 'some bytes');
        const pieces = [];
        const encrypted = cutUp(await encrypt(key, plain), cuts);
        for await (const piece of decryptPieces(key, of(encrypted))) pieces.push(piece);
        expect(Buffer.concat(pieces).equals(plain)).toBe(true);
      },
    ),
    { numRuns: 40 },
  );
});

test.each([0, 15, 16, 31, 33, 300_001])('%i bytes are no ciphertext', async (length) => {
  const key = await makeKey();
  const read = async (): Promise<void> => {
    for await (const piece of decryptPieces(key, of([new Uint8Array(length)])))
      expect(piece).toBeDefined();
  };
  await expect(read()).rejects.toThrow('whole blocks');
});

async function* of(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    await Promise.resolve();
    yield piece;
  }
}
