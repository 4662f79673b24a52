import { crc32, deflateRawSync } from 'node:zlib';

interface Lies {
  size?: number;
  method?: number;
  flags?: number;
  crc?: number;
}

/** A ZIP archive of these files, packed; `lies` changes what its directory says of all of them. */
export function zipOf(files: Record<string, string | Buffer>, lies: Lies = {}): Buffer {
  const [bodies, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [path, content] of Object.entries(files)) {
    const [name, bytes] = [Buffer.from(path), Buffer.from(content)];
    const packed = deflateRawSync(bytes);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(lies.flags ?? 0x800, 2);
    head.writeUInt16LE(lies.method ?? 8, 4);
    head.writeUInt32LE(lies.crc ?? crc32(bytes), 10);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(lies.size ?? bytes.length, 18);
    head.writeUInt16LE(name.length, 22);
    bodies.push(Buffer.from('PK\x03\x04'), head, name, packed);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), head, tail, name);
    offset += 30 + name.length + packed.length;
  }
  const records = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  for (const at of [8, 10]) end.writeUInt16LE(Object.keys(files).length, at);
  end.writeUInt32LE(records.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, records, end]);
}

/** A ZIP archive whose end says that it has so many entries, and a directory of so many bytes, as only ZIP64 can. */
export function claimingZip({ entries = 1, directory = 46 }): Buffer {
  const end = Buffer.alloc(98);
  end.write('PK\x06\x06', 'latin1');
  end.writeBigUInt64LE(BigInt(entries), 32);
  end.writeBigUInt64LE(BigInt(directory), 40);
  // Where that record begins, and the end of an archive without ZIP64.
  end.write('PK\x06\x07', 56, 'latin1');
  end.write('PK\x05\x06', 76, 'latin1');
  return end;
}
