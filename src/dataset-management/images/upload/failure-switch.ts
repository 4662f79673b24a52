/**
 * Lets what is waited for fail when a failure comes from elsewhere. `Promise.race` with one promise for that failure
 * would keep every result that was ever raced against it, until that promise is gone; this keeps the last at most.
 */
export class FailureSwitch {
  #failure: { error: unknown } | undefined;
  #reject: (error: unknown) => void = () => undefined;

  /** Ends what is waited for, and all that will be. The first failure is the one that is told. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#reject(this.#failure.error);
  }

  /** Waits for one thing at a time. Throws what it throws, or the failure. */
  wait<T>(result: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      // Heard in any case: what fails later must not count as unhandled.
      result.then(resolve, reject);
      this.#reject = reject;
      if (this.#failure) this.fail(this.#failure.error);
    });
  }
}
