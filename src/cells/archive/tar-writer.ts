import type { Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { BLOCK, padding, tarHeader } from './tar-header.ts';

/** Writes a tar file entry by entry, from a position on, and keeps its SHA-256. */
export class TarWriter {
  readonly #file: FileHandle;
  readonly #hash: Hash;
  #position: number;

  /** `hash` has everything that stands before the position. */
  constructor(file: FileHandle, { position, hash }: { position: number; hash: Hash }) {
    this.#file = file;
    this.#position = position;
    this.#hash = hash;
  }

  /** SHA-256 of all that was written. */
  get sha256(): string {
    return this.#hash.copy().digest('hex');
  }

  /** Writes an entry whole. */
  async write(name: string, bytes: Uint8Array): Promise<void> {
    await this.#append(
      Buffer.concat([
        tarHeader(name, bytes.byteLength),
        bytes,
        Buffer.alloc(padding(bytes.byteLength)),
      ]),
    );
  }

  /** Writes an entry piece by piece. Throws where there are not as many bytes as said. */
  async stream(name: string, size: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#append(tarHeader(name, size));
    let written = 0;
    for await (const chunk of bytes) {
      written += chunk.byteLength;
      if (written > size) break;
      await this.#append(chunk);
    }
    if (written !== size) throw new Error(`${name} has not ${size} bytes, as was said`);
    await this.#append(Buffer.alloc(padding(size)));
  }

  /** Ends the file, and waits until it is on the disk. */
  async end(): Promise<void> {
    await this.#append(Buffer.alloc(2 * BLOCK));
    await this.#file.truncate(this.#position);
    await this.#file.sync();
  }

  async #append(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    for (let at = 0; at < bytes.byteLength;) {
      const left = bytes.byteLength - at;
      const { bytesWritten } = await this.#file.write(bytes, at, left, this.#position);
      at += bytesWritten;
      this.#position += bytesWritten;
    }
  }
}
