import type { Cell } from '../../core/db.ts';
import type { Params } from '../../core/pagination.ts';
import { graphqlDecoder, restEncoder, type FeedReading } from './feed-codecs.ts';
import { feedColumns, type FeedColumn, type FeedFieldName } from './feed-fields.ts';

/** Which column stands at which place of a row, and how its GraphQL value is made. */
export type FeedLayout = ReadonlyMap<FeedColumn, { place: number; decode: ReturnType<typeof graphqlDecoder> }>;

/** One feed as it was read: text cells, decoded when asked for. */
export class FeedRow {
  readonly cells: readonly Cell[];
  readonly layout: FeedLayout;
  readonly reading: FeedReading;

  constructor(cells: readonly Cell[], layout: FeedLayout, reading: FeedReading) {
    this.cells = cells;
    this.layout = layout;
    this.reading = reading;
  }

  /** The GraphQL value of a column that the row was read with. */
  get(column: FeedColumn): unknown {
    const known = this.layout.get(column);
    if (!known) throw new Error(`the feed was read without ${column}`);
    return known.decode(this.cells[known.place] ?? null, this.reading);
  }

  get feedKey(): number {
    return Number(this.get('feed_key'));
  }
}

const layouts = new Map<string, FeedLayout>();
const layoutsOf = new WeakMap<Iterable<FeedColumn>, FeedLayout>();

/** The layout of a set of columns; `feed_key` is always part of it and comes first. */
export function feedLayout(columns: Iterable<FeedColumn>): FeedLayout {
  let layout = layoutsOf.get(columns);
  if (!layout) layoutsOf.set(columns, (layout = makeLayout(columns)));
  return layout;
}

function makeLayout(columns: Iterable<FeedColumn>): FeedLayout {
  const all = [...new Set<FeedColumn>(['feed_key', ...columns])];
  const key = all.join();
  let layout = layouts.get(key);
  if (!layout) {
    if (layouts.size >= 1_000) layouts.clear();
    layout = new Map(all.map((column, place) => [column, { place, decode: graphqlDecoder(feedColumns[column].type) }]));
    layouts.set(key, layout);
  }
  return layout;
}

const selectLists = new WeakMap<FeedLayout, string>();

/** The select list of a layout over `f` and `s`. */
export function feedSelectSql(layout: FeedLayout): string {
  let list = selectLists.get(layout);
  if (list === undefined) selectLists.set(layout, (list = [...layout.keys()].map((column) => feedColumns[column].sql).join(', ')));
  return list;
}

/** Replaces `:user` and `:overdueBefore` by parameters, bound only when the statement uses them. */
export function bindNamed(sql: string, values: { user: number; overdueBefore: number }, params: Params): string {
  const bound = new Map<string, string>();
  return sql.replace(/(?<!:):(user|overdueBefore)\b/g, (_, name: string) => {
    let place = bound.get(name);
    if (place === undefined) bound.set(name, (place = params.add(name === 'user' ? values.user : new Date(values.overdueBefore).toISOString())));
    return place;
  });
}

/** Writes feeds as the JSON text of a REST array, with these fields in this order. */
export function presentFeeds(rows: readonly FeedRow[], fields: readonly FeedFieldName[]): string {
  const layout = rows[0]?.layout;
  if (!layout) return '[]';
  const columns = fields.map((name, index) => ({
    label: `${index === 0 ? '{' : ','}"${name}":`,
    place: layout.get(name)?.place ?? -1,
    encode: restEncoder(feedColumns[name].type),
  }));
  let json = '';
  for (const row of rows) {
    json += json === '' ? '[' : ',';
    for (const { label, place, encode } of columns) json += label + encode(row.cells[place] ?? null, row.reading);
    json += '}';
  }
  return `${json}]`;
}
