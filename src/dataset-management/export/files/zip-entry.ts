/** A file to write to an archive. */
export interface ZipEntry {
  /** Relative, with slashes; made safe by `safeEntryName`. */
  name: string;
  size: number;
  crc32: number;
  /** Fills memory with the bytes from a position on; returns how many there were. */
  read(target: Uint8Array, position: number): Promise<number>;
  /** Called when the archive holds all of it. */
  held?(): Promise<void>;
}

/** The bytes of an entry differ from its announced size or checksum: the archive must not be completed. */
export class ZipEntryError extends Error {
  override name = 'ZipEntryError';
}
