import * as z from 'zod';
import { statement, type TypedParams } from '../../../core/sql/statement.ts';
import {
  arrayOf,
  char,
  int4,
  int4s,
  int8,
  instantText,
  text,
  texts,
  tstzmultirange,
} from '../../../core/sql/types.ts';
import { fold, isStorable } from '../../../core/text.ts';
import { type Day, dayWindow } from '../../../core/time/days.ts';
import type { Viewer } from '../../../core/context/viewer.ts';
import type { FeedStatus } from '../../terms/feed-status.ts';
import * as values from './filter-values.ts';

const chars = arrayOf(char);

/** The filters of a list of feeds by GraphQL name, with the types of their values. */
export const feedFilterTypes = {
  pinned: values.flag,
  /** The deprecated name of `pinned`: both count. Stored filters may have it. */
  pin: values.flag,
  favorite: values.flag,
  follow: values.flag,
  acknowledged: values.flag,
  promotedToNote: values.flag,
  messageTypes: values.texts,
  /** Effective status (D-50). */
  statuses: values.statuses,
  priorities: values.integers,
  /** Substring, case-insensitive. */
  feedTitle: values.text,
  comAttrValues: values.texts,
  msgAttrValues: values.texts,
  /** Default MV. */
  view: values.view,
  /** Default P. */
  taskView: values.taskView,
  feedTypeIds: values.texts,
  tags: values.texts,
  selectedDates: values.days,
  weekDates: values.days,
  /** In epoch milliseconds: feeds that ended before are left out; 0 is off (D-26). */
  cutOffTime: values.instant,
};

type Types = typeof feedFilterTypes;

/** Filter of a list of feeds. Absent, null or '': no restriction; an empty list matches nothing (P3). */
export type FeedFilter = {
  [Name in keyof Types]?: Readonly<z.output<Types[Name]>> | null | undefined;
};

/** How much a filter leaves; see weighFilter. */
export interface Weight {
  /** Few feeds have one of its message types. */
  fewTypes?: boolean | undefined;
}

/** The criteria of a system filter, which decode to a FeedFilter without nulls. */
export const feedCriteria: z.ZodType<FeedFilter, object> = z
  .strictObject(feedFilterTypes)
  .partial();

/** The SQL of one filter over `l` (feed_listing). */
type FilterSql<Value> = (value: Value, params: TypedParams, viewer: Viewer, by: Weight) => string;

/**
 * The SQL of the filters but those that choose the lists. What feed_listing does not hold is looked up in subqueries, so
 * that the planner may start from either side. `:overdueBefore` is left for the caller to bind.
 */
const filterSql: {
  [Name in Exclude<keyof Types, 'view' | 'taskView'>]: FilterSql<NonNullable<FeedFilter[Name]>>;
} = {
  pinned: flagSql('pinned'),
  pin: flagSql('pinned'),
  favorite: flagSql('favorite'),
  follow: flagSql('follow'),
  acknowledged: flagSql('acknowledged'),
  promotedToNote: flagSql('promoted_to_note'),
  statuses: (statuses, params) => statusSql(statuses, params),
  priorities: (numbers, params) =>
    `l.priority_sort = ANY (${params.add(int4s, numbers.filter(values.isPriority))})`,
  feedTypeIds: (ids, params) => amongSql('l.feed_type_sort', ids.filter(values.isType), params),
  messageTypes: typesSql,
  feedTitle: titleSql,
  comAttrValues: attributeSql('COM'),
  msgAttrValues: attributeSql('MSG'),
  tags: (tags, params) =>
    `EXISTS (SELECT FROM feed_tag t WHERE t.feed_key = l.feed_key AND ${amongSql('t.tag_fold', tags.map(fold), params)})`,
  selectedDates: daysSql,
  weekDates: daysSql,
  cutOffTime: (time, params) => `l.end_sort >= ${instant(time, params)}`,
};

const isOff = (value: unknown): boolean => value === '' || value === 0;
const isFilterName = (name: string): name is keyof typeof filterSql => name in filterSql;
const filterNames = Object.keys(filterSql).filter(isFilterName);

/** The conditions of a filter, joined by AND; empty when it restricts nothing. */
export function feedFilterSql(
  filter: FeedFilter & Weight,
  viewer: Viewer,
  params: TypedParams,
): string[] {
  const conditionOf = <Name extends keyof typeof filterSql>(name: Name): string[] => {
    const value = filter[name];
    if (value === undefined || value === null || isOff(value)) return [];
    return [filterSql[name](value, params, viewer, filter)];
  };
  return filterNames.flatMap(conditionOf);
}

/** How feed_listing stores "no start" and "no end". */
export const NEVER = `'9999-12-31 23:59:59+00'`;

/** The end of a feed, which is its start when it has none. */
const END = `CASE WHEN l.end_sort = ${NEVER} THEN l.start_sort ELSE l.end_sort END`;

/** NEVER, and the highest instant that a time filter may name, so that it is in no half-open window and before no instant. */
export const NEVER_MS = Date.UTC(9999, 11, 31, 23, 59, 59);

function flagSql(column: string): FilterSql<boolean> {
  return (wanted, params, { userId }) =>
    `${wanted ? '' : 'NOT '}EXISTS (SELECT FROM feed_user_state s WHERE s.user_id = ${params.add(int4, userId)} AND s.feed_key = l.feed_key AND s.${column})`;
}

/** Feeds of some message types are few up to this number. */
export const FEW = 1_000;

/** The keys of feeds of some message types. With `=`, which many feeds meet on average, PostgreSQL could read all of them. */
const ofTypes = (domainId: string, types: string): string =>
  `SELECT f.feed_key FROM unnest(${types}::text[]) t (type) CROSS JOIN LATERAL (SELECT feed_key FROM feed
    WHERE domain_id = ${domainId} AND message_type BETWEEN t.type AND t.type ORDER BY message_type, feed_key LIMIT ${FEW + 1}) f LIMIT ${FEW + 1}`;

/** How many they are, up to one more than `FEW`. */
export const countOfTypes = statement({
  text: `SELECT count(*) FROM (${ofTypes('$domainId', '$types')}) f`,
  params: { domainId: int4, types: texts },
  row: { count: int8 },
});

/** Few feeds are looked up in the list; of many, some are soon found in the order of the list. */
function typesSql(
  types: readonly string[],
  params: TypedParams,
  { domainId }: Viewer,
  { fewTypes }: Weight,
): string {
  const domain = params.add(int4, domainId);
  if (fewTypes)
    return `l.feed_key = ANY (ARRAY(${ofTypes(domain, params.add(texts, types.filter(isStorable)))}))`;
  return `EXISTS (SELECT FROM feed f WHERE f.feed_key = l.feed_key AND f.domain_id = ${domain} AND ${amongSql('f.message_type', types, params)})`;
}

/**
 * Title contains text. A row of the list has the first 400 characters; the feed of a longer title is looked up, by a
 * subquery that PostgreSQL can not turn into a scan of all feeds.
 */
function titleSql(title: string, params: TypedParams): string {
  if (!isStorable(title)) return 'false';
  const part = params.add(text, fold(title));
  return `(strpos(l.title_sort, ${part}) > 0 OR (octet_length(l.title_sort) >= 400 AND (SELECT strpos(f.title_fold, ${part}) > 0 FROM feed f WHERE f.feed_key = l.feed_key)))`;
}

function attributeSql(scope: string): FilterSql<readonly string[]> {
  return (texts, params) =>
    `EXISTS (SELECT FROM feed_attribute a WHERE a.feed_key = l.feed_key AND a.scope = '${scope}' AND ${amongSql('a.value_fold', texts.map(fold), params)})`;
}

function daysSql(days: readonly Day[], params: TypedParams, { timeZone }: Viewer): string {
  return overlapsAnySql(
    days.map((day) => dayWindow(day, timeZone)),
    params,
  );
}

/**
 * "The effective status is one of these" (D-50), in terms of the stored status: PostgreSQL knows how many rows have a
 * stored status and plans well with it, but nothing about a CASE. `end` is the feed's own end, or NEVER.
 */
export function statusSql(
  statuses: readonly FeedStatus[],
  params: TypedParams,
  end = 'l.end_sort',
): string {
  const stored = `l.status = ANY (${params.add(
    chars,
    statuses.filter((status) => status !== 'O'),
  )}::bpchar[]) AND (l.status NOT IN ('N', 'R', 'P') OR ${end} >= :overdueBefore::timestamptz)`;
  return statuses.includes('O')
    ? `(l.status = 'O' OR (l.status IN ('N', 'R', 'P') AND ${end} < :overdueBefore::timestamptz) OR (${stored}))`
    : `(${stored})`;
}

/**
 * "The feed's interval overlaps one of these half-open windows": its start and end belong to it, a missing end is the
 * start and the other way round (D-23, D-27). Plain comparisons with the end come first: the planner reads an index
 * range for them. Many windows are one multirange, in which PostgreSQL looks a row up by halves.
 */
export function overlapsAnySql(
  windows: readonly { from: number; to: number }[],
  params: TypedParams,
): string {
  const [only] = windows;
  if (!only) return 'false';
  if (windows.length === 1) {
    const [from, to] = [instant(only.from, params), instant(only.to, params)];
    return `l.end_sort >= ${from} AND (l.end_sort <> ${NEVER} OR l.start_sort >= ${from}) AND (l.start_sort < ${to} OR l.end_sort < ${to})`;
  }
  const earliest = instant(
    windows.reduce((least, { from }) => Math.min(least, from), only.from),
    params,
  );
  const ranges = windows.map(
    ({ from, to }) =>
      `[${new Date(bounded(from)).toISOString()},${new Date(bounded(to)).toISOString()})`,
  );
  return `l.end_sort >= ${earliest} AND ${params.add(tstzmultirange, `{${ranges.join(',')}}`)}::tstzmultirange && tstzrange(least(l.start_sort, l.end_sort), ${END}, '[]')`;
}

/** Values that PostgreSQL may weigh one by one when it plans: of a thousand that takes 60 ms. */
const WEIGHED = 50;

/** "The text is one of these." What PostgreSQL can't hold equals nothing that it holds. */
function amongSql(text: string, values: readonly string[], params: TypedParams): string {
  const known = values.filter(isStorable);
  const list = params.add(texts, known);
  return known.length > WEIGHED
    ? `${text} IN (SELECT unnest(${list}::text[]))`
    : `${text} = ANY (${list})`;
}

/** Binds an instant, bounded. */
export function instant(ms: number, params: TypedParams): string {
  return `${params.add(instantText, new Date(bounded(ms)).toISOString())}::timestamptz`;
}

/** Bounded to what PostgreSQL and ISO 8601 write alike: the years 1 to 9999. */
export function bounded(ms: number): number {
  return Math.max(-62_135_596_800_000, Math.min(ms, NEVER_MS));
}
