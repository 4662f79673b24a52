import { oneLine } from '../../core/text.ts';

/** Where commands report: results on stdout, in words or as JSON. */
export interface Output {
  /** Whether results and errors are wanted as JSON. */
  readonly json: boolean;
  /** False once a reader, such as `head`, has closed the pipe. */
  isRead: boolean;
  /** Prints a result: one JSON document, or the words. */
  result(value: object, words: string): void;
  /** Prints a list: one JSON object a line, or the words. */
  list(values: readonly object[], words: string): void;
}

/** What help says of `--json` where the result is a list. */
export const LISTS_AS_NDJSON = '\n\nWith --json one JSON object a line (NDJSON).';

/** Reports as the arguments ask for; `--json` stands anywhere before `--`. */
export function createOutput(args: readonly string[]): Output {
  const end = args.indexOf('--');
  const json = (end < 0 ? args : args.slice(0, end)).includes('--json');
  const write = (lines: readonly string[]): void => {
    if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
  };
  return {
    json,
    isRead: true,
    result: (value, words) => write([json ? JSON.stringify(value) : words]),
    list(values, words) {
      if (json) write(values.map((value) => JSON.stringify(value)));
      else if (words !== '') write([words]);
    },
  };
}

/** Rows of text as a table, its columns aligned. */
export function table(texts: readonly (readonly string[])[]): string {
  const rows = texts.map((row) => row.map(oneLine));
  const widths =
    rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
