import type { Signal } from '../signal.ts';

/** How often it is asked whether the database has room again, in milliseconds, while requests wait. */
const ASK_EVERY = 25;
/** Requests of a domain that run at once however busy the database is. */
const SHARE = 4;

/**
 * Shares the database and the processor between domains: while statements wait for a connection, or their answers for
 * time to be worked on, a domain with several requests running gets another one only when one of them has ended, and
 * domains in turn. So whoever sends a few requests waits for a few others, not for all that another domain has sent.
 * While nothing waits, everybody is served at once.
 */
export class DomainTurns {
  readonly #isBusy: () => boolean;
  /** Requests that run, by domain. Counts stay when they are 0: see InProgress. */
  readonly #running = new Map<number, number>();
  /** What begins those that wait, by domain; the first domain has waited longest since its last turn. */
  readonly #lines = new Map<number, Set<() => void>>();

  /** While requests wait: those that run may take long without the database. */
  #asking: NodeJS.Timeout | undefined;

  constructor(isBusy: () => boolean) {
    this.#isBusy = isBusy;
  }

  /** Requests that run. */
  get running(): number {
    let count = 0;
    for (const running of this.#running.values()) count += running;
    return count;
  }

  /** Requests that wait. */
  get waiting(): number {
    let count = 0;
    for (const line of this.#lines.values()) count += line.size;
    return count;
  }

  /**
   * Begins a request, which `end` must end; undefined if it need not wait. Rejects with the reason of the signal where
   * that is aborted first: the request has not begun then.
   */
  begin(domainId: number, signal: Signal): Promise<void> | undefined {
    const line = this.#lines.get(domainId);
    if (!line && this.#mayRun(domainId)) {
      this.#add(domainId);
      return undefined;
    }
    return this.#wait(domainId, signal);
  }

  end(domainId: number): void {
    this.#running.set(domainId, this.#count(domainId) - 1);
    if (this.#lines.size === 0) return;
    // Always one of its own, so that a line moves on; and another one, so that more run again as soon as more can.
    if (this.#mayRun(domainId)) this.#beginNext(domainId);
    for (const other of this.#lines.keys()) if (this.#mayRun(other)) return this.#beginNext(other);
  }

  /** Runs work of a domain in its turn. */
  async run<T>(domainId: number, signal: Signal, work: () => Promise<T>): Promise<T> {
    await this.begin(domainId, signal);
    try {
      return await work();
    } finally {
      this.end(domainId);
    }
  }

  async #wait(domainId: number, signal: Signal): Promise<void> {
    signal.throwIfAborted();
    const hasBegun = await new Promise<boolean>((resolve) => {
      const begin = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = (): void => {
        const line = this.#lines.get(domainId);
        if (line?.delete(begin) && line.size === 0) this.#lines.delete(domainId);
        resolve(false);
      };
      const line = this.#lines.get(domainId);
      if (line) line.add(begin);
      else this.#lines.set(domainId, new Set([begin]));
      this.#asking ??= setInterval(() => this.#ask(), ASK_EVERY).unref();
      signal.addEventListener('abort', leave);
    });
    if (!hasBegun) signal.throwIfAborted();
  }

  #ask(): void {
    for (const domainId of [...this.#lines.keys()])
      if (this.#mayRun(domainId)) this.#beginNext(domainId);
    if (this.#lines.size > 0) return;
    clearInterval(this.#asking);
    this.#asking = undefined;
  }

  #beginNext(domainId: number): void {
    const line = this.#lines.get(domainId);
    if (!line) return;
    const [next] = line;
    this.#lines.delete(domainId);
    if (!next) return;
    line.delete(next);
    // It comes last now.
    if (line.size > 0) this.#lines.set(domainId, line);
    this.#add(domainId);
    next();
  }

  #mayRun(domainId: number): boolean {
    return this.#count(domainId) < SHARE || !this.#isBusy();
  }

  #count(domainId: number): number {
    return this.#running.get(domainId) ?? 0;
  }

  #add(domainId: number): void {
    this.#running.set(domainId, this.#count(domainId) + 1);
  }
}
