import { setImmediate } from 'node:timers/promises';

/** A line of an import file: its text, or why it has none. */
export type SourceLine = { line: number; text: string } | { line: number; fault: string };

/** Longest line in bytes; a longer one is refused without being kept in memory. */
const MAX_LINE_BYTES = 1_048_576;

const NEWLINE = 0x0a;

/** Splits bytes into lines of strict UTF-8; a byte order mark, CRLF and blank lines are tolerated. Holds one line at a time. */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<SourceLine> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 0;
  let pending: Buffer[] = [];
  let size = 0;

  function take(): SourceLine | undefined {
    const [bytes, length] = [pending, size];
    pending = [];
    size = 0;
    if (length > MAX_LINE_BYTES)
      return { line, fault: `the line is longer than ${MAX_LINE_BYTES} bytes` };
    try {
      const text = decoder.decode(Buffer.concat(bytes)).trim();
      return text === '' ? undefined : { line, text };
    } catch {
      return { line, fault: 'is not valid UTF-8' };
    }
  }

  function keep(bytes: Buffer): void {
    size += bytes.length;
    if (size <= MAX_LINE_BYTES) pending.push(bytes);
    else pending = [];
  }

  for await (const chunk of source) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      keep(bytes.subarray(from, end));
      from = end + 1;
      line++;
      const taken = take();
      if (taken) yield taken;
    }
    if (from < bytes.length) keep(bytes.subarray(from));
  }
  if (size > 0) {
    line++;
    const taken = take();
    if (taken) yield taken;
  }
}

/** Records whose lines are made in one go, before others have a turn. */
const IN_ONE_GO = 50;

/** Turns records, from a list or a stream, into the lines of an import file. */
export async function* asLines(
  records: Iterable<object> | AsyncIterable<object>,
): AsyncGenerator<SourceLine> {
  let line = 0;
  for await (const record of records) {
    yield { line: ++line, text: JSON.stringify(record) };
    if (line % IN_ONE_GO === 0) await setImmediate();
  }
}
