import { isDeepStrictEqual } from 'node:util';
import {
  defaultFeedFields,
  type FeedFieldName,
} from '../src/task-execution/feeds/fields/feed-fields.ts';
import type { Contender, Json } from './contenders.ts';
import { encodeRequest, fetchJson } from './http-load.ts';
import type { PageOfUnit } from './workload.ts';

/** Pages that are asked for at the same time. */
const AT_ONCE = 8;

/** Asks a contender for every page, following its own cursors. Returns the requests, ready to be sent, and the rows in comparable form. */
export async function askForPages(
  contender: Contender,
  port: number,
  pages: readonly PageOfUnit[],
): Promise<{ requests: Buffer[]; rows: Json[][] }> {
  const ask = async (page: PageOfUnit): Promise<{ request: Buffer; rows: Json[] }> => {
    let cursor: string | null = null;
    for (let before = 0; before < page.pagesBefore; before++) {
      cursor = contender.read(await fetchJson(port, contender.request(page, cursor))).cursor;
      if (cursor === null)
        throw new Error(
          `${contender.label}: the list ends after ${before + 1} pages of ${page.limit}`,
        );
    }
    const request = contender.request(page, cursor);
    const answer = contender.read(await fetchJson(port, request));
    return {
      request: encodeRequest(request),
      rows: answer.rows.map((row) => comparable(row, page.viewer.zone)),
    };
  };
  const asked: { request: Buffer; rows: Json[] }[] = [];
  for (let from = 0; from < pages.length; from += AT_ONCE)
    asked.push(...(await Promise.all(pages.slice(from, from + AT_ONCE).map(ask))));
  return { requests: asked.map(({ request }) => request), rows: asked.map(({ rows }) => rows) };
}

/** What differs between two contenders' pages; undefined when they agree on every value of every row, in order. */
export function difference(
  pages: readonly PageOfUnit[],
  expected: readonly Json[][],
  actual: readonly Json[][],
): string | undefined {
  for (const [index, page] of pages.entries()) {
    const [want, have] = [expected[index] ?? [], actual[index] ?? []];
    const at = `page ${index} (unit ${page.viewer.unitId}, ${page.sort}, ${page.statuses ? 'filtered, ' : ''}${page.pagesBefore} pages before it)`;
    if (want.length !== have.length) return `${at}: ${have.length} rows instead of ${want.length}`;
    for (const [place, row] of want.entries()) {
      const other = have[place] ?? {};
      const field = defaultFeedFields.find((name) => !isDeepStrictEqual(row[name], other[name]));
      if (field)
        return `${at}, row ${place}, ${field}: ${JSON.stringify(other[field])} instead of ${JSON.stringify(row[field])}`;
    }
  }
  return undefined;
}

const walls = new Set<FeedFieldName>([
  'start_date_time',
  'end_date_time',
  'display_launch_date',
  'create_dtm',
]);
const flags = new Set<FeedFieldName>(['pin', 'favorite_flag', 'acknowledged_flag']);
const letters: Record<string, string> = {
  NEW: 'N',
  REVIEWED: 'R',
  IN_PROGRESS: 'P',
  OVERDUE: 'O',
  COMPLETED: 'C',
  FORCE_CLOSED: 'F',
  EXPIRED: 'E',
};

/** The row with every value in one form, whichever the contender gave it: times as wall time of the unit or as epoch milliseconds, flags as booleans. */
function comparable(row: Json, zone: string): Json {
  return Object.fromEntries(
    defaultFeedFields.map((name) => {
      const value = row[name];
      if (value === undefined) throw new Error(`the answer has no ${name}`);
      if (value === null) return [name, null];
      if (walls.has(name)) return [name, wallTime(asText(value), zone)];
      if (name === 'last_updated_time')
        return [name, typeof value === 'number' ? value : instant(asText(value))];
      if (name === 'feed_key') return [name, Number(value)];
      if (name === 'status') return [name, letters[asText(value)] ?? value];
      if (flags.has(name)) return [name, value === true || value === 1];
      return [name, value];
    }),
  );
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function instant(text: string): number {
  return Date.parse(
    text
      .replace(' ', 'T')
      .replace(/\+00$/, 'Z')
      .replace(/(\.\d{3})\d+/, '$1'),
  );
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Wall time as it is, an instant as the wall time of the zone. */
function wallTime(text: string, zone: string): string {
  if (!/(Z|[+-]\d\d(:?\d\d)?)$/.test(text.slice(10))) return text.replace('T', ' ');
  let clock = clocks.get(zone);
  if (!clock)
    clocks.set(
      zone,
      (clock = new Intl.DateTimeFormat('sv-SE', {
        timeZone: zone,
        dateStyle: 'short',
        timeStyle: 'medium',
      })),
    );
  return clock.format(instant(text));
}
