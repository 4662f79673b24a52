/** The gateway refused a file, and stored nothing of it; the message lists its faults. */
export class RefusedFileError extends Error {
  override name = 'RefusedFileError';
  /** The first faults. */
  readonly problems: readonly unknown[];
  readonly total: number;

  constructor(message: string, problems: readonly unknown[], total: number) {
    super(message);
    this.problems = problems;
    this.total = total;
  }
}
