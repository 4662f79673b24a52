/** One fault of an import file. */
export interface Problem {
  line: number;
  /** Path inside the record, e.g. assignments[0].user; empty when the whole line is at fault. */
  field: string;
  reason: string;
}

/** Most problems that are kept; a wrong column in a large file would otherwise fill the memory. */
export const SHOWN_PROBLEMS = 100;

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
    const lines = problems.map(
      (problem) =>
        `${file}:${problem.line}: ${problem.field === '' ? '' : `${problem.field}: `}${problem.reason}`,
    );
    if (total > problems.length) lines.push(`… and ${total - problems.length} more`);
    lines.push(`${file}: ${total} ${total === 1 ? 'problem' : 'problems'}, nothing was imported`);
    super(lines.join('\n'));
    this.problems = problems;
    this.total = total;
  }
}
