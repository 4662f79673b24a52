import type { Clock } from '../../core/context/context.ts';

/** Milliseconds: a document of this age is read again when it is next needed. */
const FRESH = 600_000;
/** A document of this age still counts while it can't be read again. */
const USABLE = 86_400_000;
/** How often it is read at most, and after a failure. */
const PAUSE = 30_000;
const PAUSE_AFTER_FAILURE = 5_000;

/** A document of a provider that is read when it is needed, by one request at a time, and kept. */
export class KeptDocument<T> {
  readonly #read: () => Promise<T>;
  readonly #clock: Clock;
  #kept: { value: T; at: number } | undefined;
  #tried: { at: number; failure: unknown } | undefined;
  #reading: Promise<void> | undefined;

  constructor(read: () => Promise<T>, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  /** The document. Throws the last failure while there is none that counts. */
  async get(): Promise<T> {
    if (!this.#isYoungerThan(FRESH)) await this.renew();
    if (this.#kept && this.#isYoungerThan(USABLE)) return this.#kept.value;
    throw this.#tried?.failure;
  }

  /**
   * Reads it again unless that was done just now: so strangers who name keys that nobody has cost little. Throws the
   * last failure to read it.
   */
  async renew(): Promise<void> {
    const since = this.#tried ? this.#clock() - this.#tried.at : Infinity;
    const pause = this.#tried?.failure === undefined ? PAUSE : PAUSE_AFTER_FAILURE;
    if (since < 0 || since >= pause) await (this.#reading ??= this.#renew());
  }

  /** Why it could not be read the last time; undefined if it could. */
  get failure(): unknown {
    return this.#tried?.failure;
  }

  async #renew(): Promise<void> {
    try {
      const value = await this.#read();
      this.#kept = { value, at: this.#clock() };
      this.#tried = { at: this.#clock(), failure: undefined };
    } catch (failure) {
      this.#tried = { at: this.#clock(), failure };
    } finally {
      this.#reading = undefined;
    }
  }

  #isYoungerThan(age: number): boolean {
    const since = this.#kept ? this.#clock() - this.#kept.at : Infinity;
    return since >= 0 && since < age;
  }
}
