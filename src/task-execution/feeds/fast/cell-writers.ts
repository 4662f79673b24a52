import {
  readInstant,
  SAFE_DIGITS,
  writeWallTime,
  type JsonWriter,
} from '../../../core/json/json.ts';
import type { FeedReading } from '../fields/feed-codecs.ts';

/**
 * A cell whose text is in the bytes of its row, between two positions. One object is reused for all cells of a page.
 */
export interface CellView {
  bytes: Buffer;
  from: number;
  to: number;
  reading: FeedReading;
}

/** Writes the JSON of a non-null cell. Returns false if it can't, having written nothing. */
export type CellWriter = (out: JsonWriter, cell: CellView) => boolean;

const TRUE = 't'.charCodeAt(0);
const QUOTE = Buffer.from('"');
const yes = Buffer.from('true');
const no = Buffer.from('false');
const one = Buffer.from('1');
const zero = Buffer.from('0');

/** Writes text that is the same for many cells. */
export function writeConstant(out: JsonWriter, text: Buffer): true {
  out.copy(text, 0, text.length);
  return true;
}

/** Text, as a JSON string. */
export const writeText: CellWriter = (out, { bytes, from, to }) => {
  out.string(bytes, from, to);
  return true;
};

/** Text that is already JSON. */
export const writeAsIs: CellWriter = (out, { bytes, from, to }) => {
  out.copy(bytes, from, to);
  return true;
};

/** An integer with few enough digits to be a JavaScript number. */
export const writeSafeInteger: CellWriter = (out, cell) =>
  cell.to - cell.from <= SAFE_DIGITS && writeAsIs(out, cell);

/** `t` or `f` as a boolean. */
export const writeBoolean: CellWriter = (out, { bytes, from }) =>
  writeConstant(out, bytes[from] === TRUE ? yes : no);

/** `t` or `f` as 1 or 0. */
export const writeFlag: CellWriter = (out, { bytes, from }) =>
  writeConstant(out, bytes[from] === TRUE ? one : zero);

/** An instant as the wall time of the session's zone, with this character between day and time. */
export function wallTimeWriter(separator: string): CellWriter {
  const code = separator.charCodeAt(0);
  return (out, { bytes, from, to, reading: { clock } }) => {
    const ms = readInstant(bytes, from, to);
    if (Number.isNaN(ms)) return false;
    writeConstant(out, QUOTE);
    writeWallTime(out, ms + clock.offsetAt(ms), code);
    return writeConstant(out, QUOTE);
  };
}

/** A number computed from an instant. */
function numberWriter(of: (ms: number, now: number) => number): CellWriter {
  return (out, { bytes, from, to, reading: { now } }) => {
    const ms = readInstant(bytes, from, to);
    if (Number.isNaN(ms)) return false;
    out.integer(of(ms, now));
    return true;
  };
}

/** An instant in epoch milliseconds. */
export const writeMillis = numberWriter((ms) => ms);

/** The milliseconds from now until an instant. */
export const writeRemaining = numberWriter((ms, now) => ms - now);

/** Is an instant in the future? */
export const writeFuture: CellWriter = (out, { bytes, from, to, reading: { now } }) => {
  const ms = readInstant(bytes, from, to);
  return !Number.isNaN(ms) && writeConstant(out, ms > now ? yes : no);
};
