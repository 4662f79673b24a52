import { oneLine } from '../../core/text.ts';

/**
 * A command met problems with its input; the message has a line for each of the first `most`, and one for what came of
 * it.
 */
export class ProblemsError extends Error {
  override name = 'ProblemsError';
  /** The first of them, for programs. */
  readonly problems: readonly unknown[];
  readonly total: number;

  constructor(all: readonly unknown[], lines: readonly string[], outcome: string, most = 100) {
    const total = all.length;
    const more = total > most ? [`… and ${total - most} more`] : [];
    super([...lines.slice(0, most).map(oneLine), ...more, outcome].join('\n'));
    this.problems = all.slice(0, most);
    this.total = total;
  }
}
