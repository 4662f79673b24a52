/** From this value on, a field of 32 bits is full, and zip64 has the number. */
export const MAX_32 = 0xffffffff;
const MAX_16 = 0xffff;

/** The records behind the directory: how many entries it has, how long it is and where it begins. */
export function endOfDirectory(count: number, length: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, MAX_16), 8);
  end.writeUInt16LE(Math.min(count, MAX_16), 10);
  end.writeUInt32LE(Math.min(length, MAX_32), 12);
  end.writeUInt32LE(Math.min(offset, MAX_32), 16);
  if (count < MAX_16 && length < MAX_32 && offset < MAX_32) return end;
  const zip64 = Buffer.alloc(76);
  zip64.writeUInt32LE(0x06064b50, 0);
  zip64.writeBigUInt64LE(44n, 4);
  zip64.writeUInt16LE(45, 12);
  zip64.writeUInt16LE(45, 14);
  zip64.writeBigUInt64LE(BigInt(count), 24);
  zip64.writeBigUInt64LE(BigInt(count), 32);
  zip64.writeBigUInt64LE(BigInt(length), 40);
  zip64.writeBigUInt64LE(BigInt(offset), 48);
  zip64.writeUInt32LE(0x07064b50, 56);
  zip64.writeBigUInt64LE(BigInt(offset + length), 64);
  zip64.writeUInt32LE(1, 72);
  return Buffer.concat([zip64, end]);
}
