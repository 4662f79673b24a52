/** Something in a file that can't be stored: where, and why. */
export interface ImportFault {
  /** The file, or the entry of an archive. */
  file: string;
  /** The image as the file calls it; null for what belongs to none. */
  image: string | null;
  /** The object, such as `annotation 17` or `line 3`; null for the image or file itself. */
  object: string | null;
  message: string;
}

/** Gathers the faults of a file: the first ones, and how many there are. A wrong column in a large file would otherwise fill the memory. */
export class ImportFaults {
  readonly listed: ImportFault[] = [];
  total = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(fault: ImportFault): void {
    this.total++;
    if (this.listed.length < this.#most) this.listed.push(fault);
  }
}

/** A file was refused and nothing of it stored. The message lists `file: image: object: reason`, one a line. */
export class RefusedAnnotationsError extends Error {
  override name = 'RefusedAnnotationsError';
  /** The first faults. */
  readonly problems: readonly string[];
  readonly total: number;

  constructor(file: string, { listed, total }: ImportFaults) {
    const problems = listed.map(({ image, object, message, ...fault }) =>
      [
        ...(fault.file === file ? [] : [fault.file]),
        ...(image === null ? [] : [`image ${image}`]),
        ...(object === null ? [] : [object]),
        message,
      ].join(': '),
    );
    const lines = problems.map((problem) => `${file}: ${problem}`);
    if (total > problems.length) lines.push(`… and ${total - problems.length} more`);
    lines.push(`${file}: ${total} ${total === 1 ? 'problem' : 'problems'}, nothing was imported`);
    super(lines.join('\n'));
    this.problems = problems;
    this.total = total;
  }
}
