/** Headers and contents begin at multiples of this. */
export const BLOCK = 512;

/** Bytes after a content, up to the next header. */
export const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

/** Largest size that is written in octal digits. */
const OCTAL = 8 ** 11;

/** The header of a file in a tar archive (ustar). Throws for a name that does not fit: none of ours. */
export function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const [prefix, base] = splitName(name);
  header.write(base, 0);
  header.write('0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  if (size < OCTAL) header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  else {
    // As GNU tar does: binary, marked by the first bit.
    header.writeUInt8(0x80, 124);
    header.writeBigUInt64BE(BigInt(size), 128);
  }
  header.write('00000000000\0', 136);
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\0' + '00', 257);
  header.write(prefix, 345);
  header.write(`${checksum(header).toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** What a header says; undefined for the end of an archive, and for what is no header of a file. */
export function readTarHeader(header: Buffer): { name: string; size: number } | undefined {
  const text = (start: number, end: number): string =>
    header.toString('utf8', start, end).replace(/\0.*/s, '');
  const sum = Number.parseInt(text(148, 156).trim(), 8);
  const plain = Buffer.from(header);
  plain.write(' '.repeat(8), 148);
  if (header.length < BLOCK || sum !== checksum(plain) || text(156, 157) !== '0') return undefined;
  const size =
    header.readUInt8(124) === 0x80
      ? Number(header.readBigUInt64BE(128))
      : Number.parseInt(text(124, 136), 8);
  if (!Number.isSafeInteger(size) || size < 0) return undefined;
  const [prefix, base] = [text(345, 500), text(0, 100)];
  return { name: prefix === '' ? base : `${prefix}/${base}`, size };
}

const checksum = (header: Buffer): number => header.reduce((sum, byte) => sum + byte, 0);

function splitName(name: string): [prefix: string, base: string] {
  if (Buffer.byteLength(name) <= 100) return ['', name];
  for (let at = name.indexOf('/'); at > 0; at = name.indexOf('/', at + 1)) {
    const [prefix, base] = [name.slice(0, at), name.slice(at + 1)];
    if (Buffer.byteLength(base) <= 100 && Buffer.byteLength(prefix) <= 155) return [prefix, base];
  }
  throw new Error(`${name} is too long for an archive`);
}
