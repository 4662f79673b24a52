const VECTOR = 16;
/** Natural logarithm of 2^-48: no test refuses more of what is random. */
const RARE = -48 * Math.LN2;
/**
 * `n` bytes whose histogram is so many nats away from an even one, all bytes together, are random with a probability of
 * at most e^-t (e t / 255)^255 < 2^-48 (Agrawal 2020, theorem 1.2), whatever n.
 */
const UNEVEN_NATS = 400;
/** Shorter text could be random. */
const LEAST_UTF8 = 48;

const latin = (text: string): number[] => [...text].map((character) => character.charCodeAt(0));

/** What files begin with, from which byte on; each 46 bits at least. */
const MAGIC: readonly { name: string; at: number; parts: readonly (number[] | undefined)[] }[] = [
  { name: 'PNG', at: 0, parts: [latin('\x89PNG\r\n\x1a\n')] },
  { name: 'GIF', at: 0, parts: [latin('GIF87a')] },
  { name: 'GIF', at: 0, parts: [latin('GIF89a')] },
  { name: 'JPEG', at: 0, parts: [latin('\xff\xd8\xff\xe0'), undefined, latin('JFIF')] },
  { name: 'JPEG', at: 0, parts: [latin('\xff\xd8\xff\xe1'), undefined, latin('Exif')] },
  { name: 'PDF', at: 0, parts: [latin('%PDF-1.')] },
  { name: 'PDF', at: 0, parts: [latin('%PDF-2.')] },
  // The four bytes behind the length are reserved.
  { name: 'BMP', at: 0, parts: [latin('BM'), undefined, undefined, latin('\0\0\0\0')] },
  { name: 'WebP', at: 0, parts: [latin('RIFF'), undefined, undefined, latin('WEBP')] },
  { name: 'Photoshop', at: 0, parts: [latin('8BPS\0\x01')] },
  { name: 'JPEG 2000', at: 0, parts: [latin('\0\0\0\x0cjP  ')] },
  { name: 'JPEG XL', at: 0, parts: [latin('\0\0\0\x0cJXL ')] },
  // `openssl enc` with a password writes a salt where the vector belongs.
  { name: 'the salt of openssl', at: 0, parts: [latin('Salted__')] },
  { name: 'ZIP', at: 0, parts: [latin('PK\x03\x04\x14\0')] },
  ...['avif', 'avis', 'heic', 'heix', 'hevc', 'mif1', 'msf1', 'isom', 'mp42'].map((brand) => ({
    name: 'HEIF',
    at: 4,
    parts: [latin(`ftyp${brand}`)],
  })),
];

/**
 * Says by what bytes are seen not to be a vector and AES-CBC ciphertext, else nothing: the head of a known file at
 * their beginning or behind a vector, a byte or a block that comes too often, an uneven histogram, printable text.
 * Ciphertext is taken for something of this once in 2^40 times at most.
 */
export function findPlainText(bytes: Uint8Array): string | undefined {
  const rest = bytes.subarray(VECTOR);
  return (
    magicOf(bytes) ??
    magicOf(rest) ??
    (isText(unpadded(bytes)) || isText(unpadded(rest)) ? 'text' : undefined) ??
    (isUneven(bytes) || isUneven(rest) ? 'bytes that are not evenly spread' : undefined) ??
    (hasEqualBlocks(rest) ? 'equal blocks' : undefined)
  );
}

function magicOf(bytes: Uint8Array): string | undefined {
  return MAGIC.find(({ at, parts }) => {
    let position = at;
    return parts.every((part) => {
      // A gap has two bytes.
      const fits = part?.every((byte, index) => bytes[position + index] === byte) ?? true;
      position += part?.length ?? 2;
      return fits;
    });
  })?.name;
}

/** Without what a cipher's padding looks like, or zeros, at the end. */
function unpadded(bytes: Uint8Array): Uint8Array {
  const last = bytes.at(-1) ?? 255;
  let end = bytes.length;
  if (last <= VECTOR) while (end > 0 && bytes[end - 1] === last) end--;
  return bytes.subarray(0, end);
}

/** 32 random bytes are printable ASCII once in 2^44 times, 48 are printable UTF-8 once in 2^54. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.length < 2 * VECTOR) return false;
  if (bytes.every((byte) => (byte >= 0x20 && byte < 0x7f) || (byte >= 9 && byte <= 13)))
    return true;
  if (bytes.length < LEAST_UTF8) return false;
  try {
    // As a stream: what was read may end within a character.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return !/[^\P{Cc}\t-\r]/u.test(text);
  } catch {
    return false;
  }
}

function isUneven(bytes: Uint8Array): boolean {
  const n = bytes.length;
  if (n === 0) return false;
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1;
  const nats = counts.reduce(
    (sum, count) => (count === 0 ? sum : sum + count * Math.log((256 * count) / n)),
    0,
  );
  if (nats >= UNEVEN_NATS) return true;
  // At most 256 C(n, k) 256^-k for any byte to come k times, and C(n, k) is at most e^(n h).
  const k = Math.max(...counts);
  const share = k / n;
  const h = share === 1 ? 0 : -share * Math.log(share) - (1 - share) * Math.log(1 - share);
  return n * h + (1 - k) * Math.log(256) < RARE;
}

/** Blocks that follow each other are equal once in 2^128 times. */
function hasEqualBlocks(bytes: Uint8Array): boolean {
  for (let at = VECTOR; at + VECTOR <= bytes.length; at += VECTOR) {
    let same = 0;
    while (same < VECTOR && bytes[at + same] === bytes[at - VECTOR + same]) same++;
    if (same === VECTOR) return true;
  }
  return false;
}
