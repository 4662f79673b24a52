/**
 * Yields the values of `pull` until it returns none. Unlike an async generator, `return` ends it at once even while a
 * value is awaited.
 */
export class EventStream<T> implements AsyncIterableIterator<T> {
  /** Whether its reader should come back once it has ended: its connection is then cut, not completed. */
  resumable = false;
  readonly #pull: () => Promise<T | undefined>;
  readonly #dispose: () => void;
  readonly #hasMore: () => boolean;
  #wake: (() => void) | undefined;
  #woken = false;
  #done = false;

  /** `hasMore` tells whether `pull` would do something now; where it can't be told, it is assumed. */
  constructor(
    pull: () => Promise<T | undefined>,
    dispose: () => void,
    hasMore: () => boolean = () => true,
  ) {
    this.#pull = pull;
    this.#dispose = dispose;
    this.#hasMore = hasMore;
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
  }

  wake(): void {
    this.#woken = true;
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  /**
   * For readers: false if `next` would wait, and then calls `ready` once when it no longer would. A reader that returns
   * meanwhile keeps no promises while it waits, which V8 would take for long-lived ones, for each event anew.
   */
  isReady(ready: () => void): boolean {
    if (this.#done || this.#hasMore()) return true;
    // Not at once: several changes of the same thing that come together are one value.
    this.#wake = () => queueMicrotask(ready);
    return false;
  }

  private finish(): void {
    if (this.#done) return;
    this.#done = true;
    this.wake();
    this.#dispose();
  }
}
