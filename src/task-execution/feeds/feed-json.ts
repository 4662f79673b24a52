import { JsonWriter } from '../../core/json/json-writer.ts';
import { CELL_HEAD, cellLength, ROW_HEAD } from '../../core/wire/row.ts';
import { restJson, type CellJson, type FeedReading } from './feed-codecs.ts';
import { feedColumns, type FeedFieldName } from './feed-fields.ts';
import type { FeedLayout, FeedRow } from './feed-row.ts';

/** A piece of the JSON of one feed: text, then a value: that of the cell at a place, or where the feed stands in the list. */
export type FeedPart = { before: string } & (
  { place: number; json: CellJson } | { isCursor: true }
);

/** Writes the JSON of one feed, for every page that asks for the same. */
export interface FeedTemplate {
  parts: readonly {
    before: Buffer;
    nothing: Buffer | undefined;
    value: { place: number; json: CellJson } | undefined;
  }[];
  after: Buffer;
  /** Bytes of what is the same in each. */
  fixed: number;
}

/** Makes a template of its parts, and of what stands behind the last. */
export function feedTemplate(parts: readonly FeedPart[], after: string): FeedTemplate {
  const made = parts.map((part) => {
    const value = 'json' in part ? part : undefined;
    return {
      before: Buffer.from(part.before),
      nothing: value?.json.null === undefined ? undefined : Buffer.from(value.json.null),
      value,
    };
  });
  return {
    parts: made,
    after: Buffer.from(after),
    fixed: made.reduce((sum, { before }) => sum + before.length, after.length),
  };
}

/** Room that a value takes beyond its cell: a translated time, `false` for `f`. */
const BEYOND_CELL = 8;

/** What stands around the rows of a page, and where each stands in its list. */
interface Around {
  before?: string;
  after?: string;
  cursor?: (feed: FeedRow) => string;
}

/** Writes feeds as a JSON array. Throws for a value that must not be null and is. */
export function writeFeeds(
  feeds: readonly FeedRow[],
  template: FeedTemplate,
  { before = '', after = '', cursor = () => '' }: Around = {},
): Buffer {
  const each = template.fixed + template.parts.length * BEYOND_CELL;
  const out = new JsonWriter(
    feeds.reduce(
      (sum, { row }) => sum + row.end - row.start + each,
      2 * (before.length + after.length) + 1_024,
    ),
  );
  out.text(`${before}[`);
  feeds.forEach((feed, index) => {
    if (index > 0) out.text(',');
    writeFeed(out, feed, template, cursor);
  });
  out.text(`]${after}`);
  return out.done();
}

/** Where the cells of the row at hand begin. */
const starts: number[] = [];

function writeFeed(
  out: JsonWriter,
  feed: FeedRow,
  { parts, after }: FeedTemplate,
  cursor: (feed: FeedRow) => string,
): void {
  const { row, reading } = feed;
  const { bytes } = row;
  let count = 0;
  for (
    let at = row.start + ROW_HEAD;
    at < row.end;
    at += CELL_HEAD + Math.max(0, cellLength(bytes, at))
  )
    starts[count++] = at;
  for (const { before, nothing, value } of parts) {
    out.copy(before, 0, before.length);
    if (value) writeCell(out, bytes, starts[value.place] ?? 0, value.json, nothing, reading);
    else out.text(JSON.stringify(cursor(feed)));
  }
  out.copy(after, 0, after.length);
}

function writeCell(
  out: JsonWriter,
  bytes: Buffer,
  at: number,
  json: CellJson,
  nothing: Buffer | undefined,
  reading: FeedReading,
): void {
  const length = cellLength(bytes, at);
  if (length < 0) {
    if (!nothing) throw new Error('a feed lacks what each must have');
    return out.copy(nothing, 0, nothing.length);
  }
  const from = at + CELL_HEAD;
  if (json.bytes?.(out, bytes, from, from + length, reading)) return;
  const text: string | undefined = json.text(bytes.toString('utf8', from, from + length), reading);
  if (text === undefined) throw new Error('a value has no JSON');
  out.text(text);
}

const templates = new WeakMap<FeedLayout, WeakMap<readonly FeedFieldName[], FeedTemplate>>();

/** Writes feeds as a REST array, with these fields in this order, between two texts. */
export function presentFeeds(
  feeds: readonly FeedRow[],
  fields: readonly FeedFieldName[],
  before = '',
  after = '',
): Buffer {
  const layout = feeds[0]?.layout;
  if (!layout) return Buffer.from(`${before}[]${after}`);
  let known = templates.get(layout);
  if (!known) templates.set(layout, (known = new WeakMap()));
  let template = known.get(fields);
  if (!template) known.set(fields, (template = restTemplate(layout, fields)));
  return writeFeeds(feeds, template, { before, after });
}

function restTemplate(layout: FeedLayout, fields: readonly FeedFieldName[]): FeedTemplate {
  const parts = fields.map((name, index) => {
    const place = layout.columns.get(name)?.place;
    if (place === undefined) throw new Error(`the feeds were read without ${name}`);
    return {
      before: `${index === 0 ? '{' : ','}"${name}":`,
      place,
      json: restJson(feedColumns[name].type),
    };
  });
  return feedTemplate(parts, '}');
}
