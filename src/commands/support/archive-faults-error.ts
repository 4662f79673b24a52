import type { ArchiveFault } from '../../sdk/e2ee.ts';

/** Most faults that are listed. */
const SHOWN = 100;

/** An archive is not what was exported; the message lists `file: path: kind: reason`, one a line. */
export class ArchiveFaultsError extends Error {
  override name = 'ArchiveFaultsError';
  /** The first faults. */
  readonly problems: readonly ArchiveFault[];
  readonly total: number;

  constructor(file: string, faults: readonly ArchiveFault[], outcome: string) {
    const total = faults.length;
    const problems = faults.slice(0, SHOWN);
    const lines = problems.map(
      ({ path, kind, message }) => `${file}: ${path}: ${kind}: ${message}`,
    );
    if (total > SHOWN) lines.push(`… and ${total - SHOWN} more`);
    lines.push(`${file}: ${total} ${total === 1 ? 'fault' : 'faults'}; ${outcome}`);
    super(lines.join('\n'));
    this.problems = problems;
    this.total = total;
  }
}
