/**
 * Yields the values of `pull` until it returns none. Unlike an async generator, `return` ends it at once even while a
 * value is awaited.
 */
export class EventStream<T> implements AsyncIterableIterator<T> {
  /** Whether its reader should come back once it has ended: its connection is then cut, not completed. */
  resumable = false;
  readonly #pull: () => Promise<T | undefined>;
  readonly #dispose: () => void;
  #wake: (() => void) | undefined;
  #woken = false;
  #done = false;

  constructor(pull: () => Promise<T | undefined>, dispose: () => void) {
    this.#pull = pull;
    this.#dispose = dispose;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    if (!this.#done) {
      try {
        const value = await this.#pull();
        if (value !== undefined && !this.#done) return { done: false, value };
      } catch (error) {
        this.finish();
        throw error;
      }
    }
    this.finish();
    return { done: true, value: undefined };
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.finish();
    return Promise.resolve({ done: true, value: undefined });
  }

  throw(error: unknown): Promise<IteratorResult<T, undefined>> {
    this.finish();
    return Promise.reject(error instanceof Error ? error : new Error(String(error)));
  }

  get done(): boolean {
    return this.#done;
  }

  /** For use in `pull`: waits until `wake` has been called since the last wait. */
  async wait(): Promise<void> {
    if (!this.#woken && !this.#done) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#woken = false;
    this.#wake = undefined;
  }

  wake(): void {
    this.#woken = true;
    this.#wake?.();
  }

  private finish(): void {
    if (this.#done) return;
    this.#done = true;
    this.wake();
    this.#dispose();
  }
}
