/** The part of a turn of the event loop that work of one kind may take, in milliseconds. */
const MOST = 10;

/**
 * Shares turns of the event loop between work of one kind and everything else. What a hundred requests ask for comes
 * together, and would be worked on in one go, while nobody else is heard.
 */
export class ShareOfTurn {
  /** When the work of this turn began. */
  #began: number | undefined;
  #waiting = 0;

  /** Whether work waits. */
  get isFull(): boolean {
    return this.#waiting > 0;
  }

  /** Waits for a turn that has time left; undefined if this one has. */
  take(): Promise<void> | undefined {
    const now = performance.now();
    if (this.#began === undefined) {
      this.#began = now;
      setImmediate(() => (this.#began = undefined));
      return undefined;
    }
    return now - this.#began < MOST ? undefined : this.#wait();
  }

  async #wait(): Promise<void> {
    this.#waiting++;
    await new Promise((resolve) => setImmediate(resolve));
    this.#waiting--;
    await this.take();
  }
}

/** Work on what the database has answered. */
export const onAnswers = new ShareOfTurn();

/** Work on the events of streams, of which there may be many more. */
export const onEvents = new ShareOfTurn();
