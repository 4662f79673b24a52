import type * as z from 'zod';
import { MAX_ANNOTATIONS } from '../../projects/annotations/replace-annotations.ts';

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

type NewFault = Pick<ImportFault, 'file' | 'message'> & Partial<ImportFault>;

/** Characters of a text that are kept. */
const MOST_CHARACTERS = 500;

/** The message for an image with more annotations than one can have. */
export function tooMany(count: number): string {
  return `has ${count} annotations, more than ${MAX_ANNOTATIONS}`;
}

/** What is wrong with a value of a file, a sentence for each fault. */
export function faultsOf({ issues }: z.ZodError): string[] {
  return issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  );
}

/**
 * Gathers the faults of a file: the first ones, and how many there are. A wrong column in a large file would otherwise
 * fill the memory.
 */
export class ImportFaults {
  readonly listed: ImportFault[] = [];
  total = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(fault: NewFault): void {
    const { file, image = null, object = null, message } = fault;
    this.total++;
    if (this.listed.length < this.#most)
      this.listed.push({
        file: short(file),
        image: image === null ? null : short(image),
        object: object === null ? null : short(object),
        message: short(message),
      });
  }
}

/**
 * A copy, because a part of a text keeps all of it in memory. Half a character becomes U+FFFD, like the zero that the
 * database can't hold.
 */
function short(text: string): string {
  return Buffer.from(text.slice(0, MOST_CHARACTERS)).toString().replaceAll('\0', '\uFFFD');
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
