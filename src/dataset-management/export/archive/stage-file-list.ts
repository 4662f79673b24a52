import type { BlobStore, StagedBlob } from '../../../core/context/storage.ts';
import { readSpool } from '../files/spool.ts';

/** Stages a JSON object that ends in `files`: the lines of an ended spool, and `last` behind them. */
export function stageFileList(
  storage: BlobStore,
  head: object,
  files: StagedBlob,
  last = '',
): Promise<StagedBlob> {
  return storage.stage(
    (async function* () {
      yield Buffer.from(`${JSON.stringify(head, null, 2).replace(/\n}$/, '')},\n  "files": [`);
      yield* readSpool(files);
      yield Buffer.from(`${last}\n  ]\n}\n`);
    })(),
  );
}
