import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A file in the data folder of an embedded database from before the first record of the demo until after its last image, so that
 * the start after one that was interrupted loads what is missing. Without a folder, nothing says so.
 */
export class DemoMark {
  readonly #file: string | undefined;

  constructor(dataDir: string | undefined) {
    this.#file = dataDir === undefined ? undefined : join(dataDir, 'demo.loading');
  }

  /** Whether loading the demo has begun and not ended. */
  get isSet(): boolean {
    return this.#file !== undefined && existsSync(this.#file);
  }

  set(): void {
    if (this.#file !== undefined) writeFileSync(this.#file, '', { mode: 0o600 });
  }

  clear(): void {
    if (this.#file !== undefined) rmSync(this.#file, { force: true });
  }
}
