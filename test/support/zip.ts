import { crc32, deflateRawSync } from 'node:zlib';

/** A file to write into an archive by hand. */
export interface HandMade {
  name: string;
  bytes: Uint8Array;
  deflate?: boolean;
  /** Another name in its own header than in the directory. */
  headerName?: string;
  /** Another size than it has. */
  claims?: number;
}

/** Writes a ZIP archive as some other program would: deflated files, sizes behind them, odd names. */
export function makeZip(files: readonly HandMade[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, deflate = false, headerName = name, claims } of files) {
    const packed = deflate ? deflateRawSync(bytes) : Buffer.from(bytes);
    const fields = Buffer.alloc(26);
    // Sizes and checksum of a deflated file stand behind it, as in an archive that was written to a pipe.
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(deflate ? 0x0808 : 0x0800, 2);
    fields.writeUInt16LE(deflate ? 8 : 0, 4);
    const sizes = Buffer.alloc(12);
    sizes.writeUInt32LE(crc32(bytes), 0);
    sizes.writeUInt32LE(packed.length, 4);
    sizes.writeUInt32LE(claims ?? bytes.length, 8);
    const local = Buffer.from(fields);
    if (!deflate) sizes.copy(local, 10);
    const own = Buffer.from(headerName);
    local.writeUInt16LE(own.length, 22);
    const descriptor = deflate
      ? Buffer.concat([Buffer.from('504b0708', 'hex'), sizes])
      : Buffer.alloc(0);
    const local4 = Buffer.from('504b0304', 'hex');
    parts.push(local4, local, own, packed, descriptor);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    fields.copy(central, 6, 0, 10);
    sizes.copy(central, 16);
    const listed = Buffer.from(name);
    central.writeUInt16LE(listed.length, 28);
    central.writeUInt32LE(offset, 42);
    directory.push(central, listed);
    offset += 30 + own.length + packed.length + descriptor.length;
  }
  const records = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(records.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, records, end]);
}
