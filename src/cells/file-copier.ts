import type { BlobStore } from '../core/context/storage.ts';
import { folders } from './archive/domain-file.ts';
import type { TarWriter } from './archive/tar-writer.ts';

/** Copies files of the storage into an export, each once. */
export class FileCopier {
  readonly #storage: Pick<BlobStore, 'stat' | 'get'>;
  readonly #writer: TarWriter;
  readonly #copied: Set<string>;
  readonly #onFile: () => void;
  readonly #missing = new Set<string>();
  /** Those that were copied now. */
  files = 0;

  constructor(
    storage: Pick<BlobStore, 'stat' | 'get'>,
    writer: TarWriter,
    { copied, onFile }: { copied: Set<string>; onFile: () => void },
  ) {
    this.#storage = storage;
    this.#writer = writer;
    this.#copied = copied;
    this.#onFile = onFile;
  }

  /** Those of the last list that the storage has lost. */
  get missing(): string[] {
    return [...this.#missing].sort();
  }

  /** Copies the files with these keys. */
  async copy(keys: readonly string[]): Promise<void> {
    // What was removed since the list before is not missed.
    this.#missing.clear();
    for (const key of keys) {
      if (this.#copied.has(key)) continue;
      const found = await this.#storage.stat(key);
      if (found) {
        await this.#writer.stream(folders.files + key, found.size, this.#storage.get(key));
        this.#copied.add(key);
        this.files++;
        this.#onFile();
      } else this.#missing.add(key);
    }
  }
}
