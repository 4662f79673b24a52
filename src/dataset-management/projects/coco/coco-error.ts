/** Most problems that are listed; a wrong column in a large file would otherwise fill the memory. */
const SHOWN = 100;

/**
 * The COCO file was refused and nothing of it stored. The message lists `file: image: annotation: reason`, one a line.
 */
export class CocoError extends Error {
  override name = 'CocoError';
  /** The first faults. */
  readonly problems: readonly string[];
  readonly total: number;

  constructor(file: string, problems: readonly string[], total: number) {
    const lines = problems.map((problem) => `${file}: ${problem}`);
    if (total > problems.length) lines.push(`… and ${total - problems.length} more`);
    lines.push(`${file}: ${total} ${total === 1 ? 'problem' : 'problems'}, nothing was imported`);
    super(lines.join('\n'));
    this.problems = problems;
    this.total = total;
  }
}

/** Gathers the faults of a file. */
export class CocoFaults {
  readonly #problems: string[] = [];
  #total = 0;
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  add(...parts: string[]): void {
    this.#total++;
    if (this.#problems.length < SHOWN) this.#problems.push(parts.join(': '));
  }

  /** Throws CocoError when there are any. */
  check(): void {
    if (this.#total > 0) throw new CocoError(this.#file, this.#problems, this.#total);
  }
}
