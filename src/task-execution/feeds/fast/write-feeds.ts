import { JsonWriter } from '../../../core/json/json.ts';
import { CELL_HEAD, cellLength, ROW_HEAD, WireRow } from '../../../core/wire/wire.ts';
import type { FeedRow } from '../fields/feed-row.ts';
import type { CellView } from './cell-writers.ts';
import type { FeedTemplate, TemplateValue } from './feed-template.ts';

/** Extra bytes that a value may need beyond its cell: a converted time, `false` for `f`. */
const BEYOND_CELL = 8;

/** The text around the rows of a page, and the position of each row in its list. */
interface Around {
  before?: string;
  after?: string;
  cursor?: (feed: FeedRow) => string;
}

/** Writes feeds as a JSON array. Throws if a non-null value is null. */
export function writeFeeds(
  feeds: readonly FeedRow[],
  template: FeedTemplate,
  { before = '', after = '', cursor = () => '' }: Around = {},
): Buffer {
  const each = template.fixed + template.parts.length * BEYOND_CELL;
  let size = 2 * (before.length + after.length) + 1_024;
  for (const feed of feeds) {
    const { start, end } = wireRow(feed);
    size += end - start + each;
  }
  const out = new JsonWriter(size);
  const writer = new FeedWriter(out, template, cursor);
  out.text(`${before}[`);
  feeds.forEach((feed, index) => {
    if (index > 0) out.text(',');
    writer.write(feed);
  });
  out.text(`]${after}`);
  return out.done();
}

function wireRow({ row }: FeedRow): WireRow {
  if (!(row instanceof WireRow)) throw new Error('the row is not a WireRow');
  return row;
}

/** Writes one feed after the other. */
class FeedWriter {
  readonly #out: JsonWriter;
  readonly #template: FeedTemplate;
  readonly #cursor: (feed: FeedRow) => string;
  /** Start of each cell in the current row. */
  readonly #starts: number[] = [];

  constructor(out: JsonWriter, template: FeedTemplate, cursor: (feed: FeedRow) => string) {
    this.#out = out;
    this.#template = template;
    this.#cursor = cursor;
  }

  write(feed: FeedRow): void {
    const { bytes, start, end } = wireRow(feed);
    const { parts, after } = this.#template;
    const out = this.#out;
    const starts = this.#starts;
    let count = 0;
    for (let at = start + ROW_HEAD; at < end; at += CELL_HEAD + Math.max(0, cellLength(bytes, at)))
      starts[count++] = at;
    const cell = { bytes, from: 0, to: 0, reading: feed.reading };
    for (const { before, value } of parts) {
      out.copy(before, 0, before.length);
      if (value) writeCell(out, cell, starts[value.place] ?? 0, value);
      else out.text(JSON.stringify(this.#cursor(feed)));
    }
    out.copy(after, 0, after.length);
  }
}

/** Writes the value of the cell that begins here. */
function writeCell(out: JsonWriter, cell: CellView, at: number, value: TemplateValue): void {
  const { json, nothing } = value;
  const length = cellLength(cell.bytes, at);
  if (length < 0) {
    if (!nothing) throw new Error('a feed lacks what each must have');
    return out.copy(nothing, 0, nothing.length);
  }
  cell.from = at + CELL_HEAD;
  cell.to = cell.from + length;
  if (json.bytes?.(out, cell)) return;
  const text: string | undefined = json.text(
    cell.bytes.toString('utf8', cell.from, cell.to),
    cell.reading,
  );
  if (text === undefined) throw new Error('a value has no JSON');
  out.text(text);
}
