/** Some images of a folder could not be stored; the others were. */
export class UploadRefusedError extends Error {
  override name = 'UploadRefusedError';
  readonly problems: readonly string[];
  readonly total: number;

  constructor({
    failed,
    uploaded,
    present,
  }: {
    failed: readonly { path: string; reason: string }[];
    uploaded: number;
    present: number;
  }) {
    const problems = failed.map(({ path, reason }) => `${path}: ${reason}`);
    super(
      [
        ...problems,
        `${failed.length} of ${failed.length + uploaded + present} images could not be stored`,
      ].join('\n'),
    );
    this.problems = problems;
    this.total = problems.length;
  }
}
