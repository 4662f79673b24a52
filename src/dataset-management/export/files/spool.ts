import { createReadStream } from 'node:fs';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { readFileInto } from '../../../core/files/read-file-into.ts';
import type { BlobStore, StagedBlob } from '../../../core/context/storage.ts';

/** Text that grows in a local file instead of in memory. */
export interface Spool {
  write(text: string): Promise<void>;
  /** Ends it; what was written can then be read. */
  end(): Promise<StagedBlob>;
  discard(): Promise<void>;
}

/** Characters that are collected before they are written: one write per line would cost more than the export itself. */
const GATHER = 64 * 1024;

/** Opens an empty spool beside the uploads. */
export function openSpool(storage: BlobStore): Spool {
  const stream = new PassThrough();
  let gathered = '';
  const flush = async (): Promise<void> => {
    const text = gathered;
    gathered = '';
    if (text !== '' && !stream.write(text)) await once(stream, 'drain');
  };
  const staged = storage.stage(stream);
  // `end` reports the failure; until then it must not count as unhandled.
  staged.catch(() => stream.destroy());
  return {
    async write(text) {
      if (stream.destroyed) await staged;
      gathered += text;
      if (gathered.length >= GATHER) await flush();
    },
    async end() {
      await flush();
      stream.end();
      return staged;
    },
    async discard() {
      stream.destroy();
      const blob = await staged.catch(() => undefined);
      await blob?.discard();
    },
  };
}

/** Reads parts of an ended spool. */
export function readFrom(
  blob: StagedBlob,
): (target: Uint8Array, position: number) => Promise<number> {
  return (target, position) => readFileInto(blob.path, target, position);
}

/** The text of an ended spool, piece by piece. */
export function readSpool(blob: StagedBlob): AsyncIterable<Uint8Array> {
  return createReadStream(blob.path);
}
