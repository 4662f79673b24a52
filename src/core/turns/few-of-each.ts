import { AppError } from '../errors.ts';

const RETRY_SECONDS = 10;

/** Counts what users have open at this gateway, such as downloads: each takes memory for as long as it is read. */
export class FewOfEach {
  readonly #most: number;
  readonly #what: string;
  readonly #open = new Map<number | string, number>();

  /** A user may have `most` at once; `what` they are called: "downloading {count} exports". */
  constructor(most: number, what: string) {
    this.#most = most;
    this.#what = what;
  }

  /** Counts one more, and returns what counts it off, to be called once. Throws E902 where the user has as many as may be. */
  take(user: number | string): () => void {
    const count = this.#open.get(user) ?? 0;
    if (count >= this.#most)
      throw new AppError('E902', {
        message: `You are ${this.#what.replace('{count}', String(count))}: wait for one, then try again in ${RETRY_SECONDS} s`,
        headers: { 'retry-after': String(RETRY_SECONDS) },
      });
    this.#open.set(user, count + 1);
    return () => {
      const left = (this.#open.get(user) ?? 0) - 1;
      if (left > 0) this.#open.set(user, left);
      else this.#open.delete(user);
    };
  }
}
