/** Bytes that one read may give: its rows are in memory together, and take several times as many when they are decoded. */
export const MOST_OF_READ = 128 * 1024 * 1024;

/** A read gave more. */
export class ResultTooLargeError extends Error {
  override name = 'ResultTooLargeError';

  constructor() {
    super(`the rows have more than ${MOST_OF_READ} bytes`);
  }
}
