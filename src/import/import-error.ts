import { oneLine } from '../core/text.ts';

/** One fault of an import file. */
export interface Problem {
  line: number;
  /** Path inside the record, e.g. assignments[0].user; empty when the whole line is at fault. */
  field: string;
  reason: string;
}

/** Most problems that are kept; a wrong column in a large file would otherwise fill the memory. */
const SHOWN_PROBLEMS = 100;

/** The problems of a file, in any order: it counts all, and keeps those of the first lines. */
export class Problems {
  total = 0;
  readonly #kept: Problem[] = [];

  add(problem: Problem): void {
    this.total++;
    this.#kept.push(problem);
    if (this.#kept.length >= 2 * SHOWN_PROBLEMS) this.#keepFirst();
  }

  /** At most SHOWN_PROBLEMS, in the order of their lines. */
  first(): readonly Problem[] {
    this.#keepFirst();
    return this.#kept;
  }

  #keepFirst(): void {
    this.#kept.sort((a, b) => a.line - b.line).splice(SHOWN_PROBLEMS);
  }
}

/**
 * Thrown when a file is refused and nothing of it stored. The message lists `file:line: field: reason`, one per line.
 */
export class ImportError extends Error {
  override name = 'ImportError';
  /** The first problems, at most SHOWN_PROBLEMS, in line order. */
  readonly problems: readonly Problem[];
  /** Total number of problems. */
  readonly total: number;

  constructor(file: string, problems: readonly Problem[], total: number) {
    const lines = problems.map(({ line, field, reason }) =>
      oneLine(`${file}:${line}: ${field === '' ? '' : `${field}: `}${reason}`),
    );
    if (total > problems.length) lines.push(`… and ${total - problems.length} more`);
    lines.push(`${file}: ${total} ${total === 1 ? 'problem' : 'problems'}, nothing was imported`);
    super(lines.join('\n'));
    this.problems = problems;
    this.total = total;
  }
}
