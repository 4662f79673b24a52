const ALONE_FOR = 60_000;
const REMEMBERED = 500;

/** Remembers for a minute which statements were slow, by their text. */
export class SlowStatements {
  readonly #until = new Map<string, number>();

  add(text: string): void {
    if (this.#until.size >= REMEMBERED) this.#until.clear();
    this.#until.set(text, performance.now() + ALONE_FOR);
  }

  has(text: string): boolean {
    const until = this.#until.get(text);
    return until !== undefined && performance.now() < until;
  }
}
