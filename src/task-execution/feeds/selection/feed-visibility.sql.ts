import type { Cell } from '../../../core/wire/wire.ts';
import { statementFor, unseen, type TypedParams } from '../../../core/sql/statement.ts';
import { bool, int2, int2s, int4, int4s, int8, int8s } from '../../../core/sql/types.ts';
import type { FeedView, Viewer } from '../../../core/context/viewer.ts';

/** The owner of a list in feed_listing. The column `list` is ten times this number plus the number of the rows. */
const audience = { user: 1, addressedDept: 2, addressedUnit: 3, dept: 4, unit: 5 } as const;
const rowKinds = { P: 0, T: 1, other: 2, suggested: 3 } as const;

export type Audience = keyof typeof audience;
/** From the nearest to the widest. */
export const audiences = [
  'user',
  'addressedDept',
  'addressedUnit',
  'dept',
  'unit',
] as const satisfies readonly Audience[];

/** One list of feed_listing. */
export interface FeedList {
  list: number;
  subjectId: number;
}

/** A row of feed_listing, or of the change log (which keeps rows that were removed): a feed is in this list. */
export interface ListedFeed extends FeedList {
  /** Null unless the feed is confidential; then the department whose members may see it, or 0 for nobody. */
  confidentialDept: number | null;
}

/** All lists of a feed, whose key is this SQL, as text. */
export const listingsSql = (feedKey: string): string =>
  `(SELECT string_agg(l.list || ' ' || l.subject_id || ' ' || coalesce(l.confidential_dept::text, ''), ',') FROM feed_listing l WHERE l.feed_key = ${feedKey})`;

/** One list in that text. */
export const listingText = ({ list, subjectId, confidentialDept }: ListedFeed): string =>
  `${list} ${subjectId} ${confidentialDept ?? ''}`;

/** Reads that text. */
export function readListings(lists: Cell | undefined): ListedFeed[] {
  return (lists?.split(',') ?? []).map((entry) => {
    const [list, subject, dept] = entry.split(' ');
    return {
      list: Number(list),
      subjectId: Number(subject),
      confidentialDept: dept ? Number(dept) : null,
    };
  });
}

/** A reader: the lists and home departments of a viewer. */
export interface FeedReader {
  readonly lists: readonly FeedList[];
  readonly homeDeptIds: readonly number[];
}

/**
 * The lists of a view (D-30). MV: the viewer's own feeds, followed or watched ones, and those addressed to their
 * departments or unit; DV: feeds of their departments; SV: feeds of their unit. Together with readableSql (and mayRead,
 * the same in JavaScript), this is the only rule that decides who sees a feed.
 */
export function feedLists(viewer: Viewer, view: FeedView, rows: keyof typeof rowKinds): FeedList[] {
  const list = (whose: keyof typeof audience, subjectId: number): FeedList => ({
    list: audience[whose] * 10 + rowKinds[rows],
    subjectId,
  });
  const unit = viewer.unitId === null ? [] : [viewer.unitId];
  switch (view) {
    case 'MV':
      return [
        list('user', viewer.userId),
        ...viewer.deptIds.map((id) => list('addressedDept', id)),
        ...unit.map((id) => list('addressedUnit', id)),
      ];
    case 'DV':
      return viewer.deptIds.map((id) => list('dept', id));
    case 'SV':
      return unit.map((id) => list('unit', id));
  }
}

/**
 * Whether no feed can be in two of these lists of a view. A feed has at most one department and one unit, and so is in
 * one list of each of these kinds (feed_listing_refresh); but it may be addressed to several.
 */
export function areDisjoint(lists: readonly FeedList[]): boolean {
  return lists.length < 2 || !areAddressed(lists);
}

/** Whether feed_count counts a list: those of departments and units, not those of users. */
export function isCounted({ list }: FeedList): boolean {
  return list >= audience.addressedDept * 10;
}

/** Whether some of these lists are of what is addressed to somebody: a feed may be in several of them. */
export function areAddressed(lists: readonly FeedList[]): boolean {
  return lists.some(({ list }) => list < audience.dept * 10);
}

/** All lists that the viewer may read, in any view: they decide whether a single feed is visible. */
export function allFeedLists(viewer: Viewer): FeedList[] {
  return (['P', 'T', 'other'] as const).flatMap((rows) =>
    (['MV', 'DV', 'SV'] as const).flatMap((view) => feedLists(viewer, view, rows)),
  );
}

/**
 * "This row is in a list of the reader, and its feed is not confidential, or is confidential in one of the reader's
 * home departments" (D-30). The row has the columns of feed_listing. mayRead is the same rule.
 */
export function readableSql(row: string, reader: FeedReader, params: TypedParams): string {
  const { lists } = reader;
  const only = lists.length === 1 ? lists[0] : undefined;
  const listed =
    only !== undefined
      ? `${row}.list = ${only.list} AND ${row}.subject_id = ${params.add(int4, only.subjectId)}`
      : `(${row}.list, ${row}.subject_id) IN (SELECT * FROM unnest(${unseen(
          `${params.add(
            int2s,
            lists.map(({ list }) => list),
          )}::smallint[]`,
        )}, ${unseen(
          `${params.add(
            int4s,
            lists.map(({ subjectId }) => subjectId),
          )}::int[]`,
        )}))`;
  return `${listed} AND ${openSql(row, reader, params)}`;
}

/** Whether readableSql holds for a row and this reader. */
export function mayRead(reader: FeedReader): (row: ListedFeed) => boolean {
  const lists = new Set(reader.lists.map(listKey));
  const { homeDeptIds } = reader;
  return (row) =>
    lists.has(listKey(row)) &&
    (row.confidentialDept === null || homeDeptIds.includes(row.confidentialDept));
}

/** One number per list, as a key. */
export function listKey({ list, subjectId }: FeedList): number {
  return list * 2 ** 32 + subjectId;
}

/** The second half of readableSql, for rows of a known list. */
export function openSql(
  row: string,
  { homeDeptIds }: Pick<FeedReader, 'homeDeptIds'>,
  params: TypedParams,
): string {
  return `(${row}.confidential_dept IS NULL OR ${row}.confidential_dept = ANY (${params.add(int4s, homeDeptIds)}::int[]))`;
}

/** The same for feed_count and feed_count_delta, where -1 means "not confidential". */
export function countedOpenSql(
  { homeDeptIds }: Pick<FeedReader, 'homeDeptIds'>,
  params: TypedParams,
): string {
  return `confidential_dept = ANY (${arraySql([-1, ...homeDeptIds], params)})`;
}

/** An array whose length PostgreSQL knows even when it plans without the values. */
export function arraySql(values: readonly number[], params: TypedParams): string {
  return `ARRAY[${values.map((value) => params.add(int4, value)).join(', ')}]::int[]`;
}

/** readableSql over `l`, for everything that the viewer may read. */
function visibleSql(viewer: Viewer, params: TypedParams): string {
  const reader = { lists: allFeedLists(viewer), homeDeptIds: viewer.homeDeptIds };
  return readableSql('l', reader, params);
}

/** "The feed of this expression is visible to the viewer." */
export function visibleFeedSql(feedKey: string, viewer: Viewer, params: TypedParams): string {
  return `EXISTS (SELECT FROM feed_listing l WHERE l.feed_key = ${feedKey} AND ${visibleSql(viewer, params)})`;
}

/** In which lists that the viewer may read each of these feeds is. */
export const visibleListings = statementFor({
  text: ({ keys, viewer }: { keys: readonly number[]; viewer: Viewer }, params) =>
    `SELECT l.feed_key, l.list, l.confidential_dept IS NOT NULL AS confidential FROM feed_listing l WHERE l.feed_key = ANY (${params.add(int8s, keys)}::bigint[]) AND ${visibleSql(viewer, params)}`,
  row: { feedKey: int8, list: int2, confidential: bool },
});

/** Whose list it is. */
export function audienceOf({ list }: Pick<FeedList, 'list'>): Audience {
  const number = Math.floor(list / 10);
  const found = audiences.find((whose) => audience[whose] === number);
  if (!found) throw new Error(`there is no list ${list}`);
  return found;
}

/** Rows to page through, as FROM and WHERE over `l`; one source per list. */
export type FeedSource = (params: TypedParams) => string;

/** The rows of one list. */
export function listSource(list: FeedList, { homeDeptIds }: Viewer): FeedSource {
  return (params) =>
    `feed_listing l WHERE ${readableSql('l', { lists: [list], homeDeptIds }, params)}`;
}

/**
 * The feeds below a feed (a key, or the column `parent` of `k`), each only once, even if the viewer sees it in several
 * lists.
 */
export function childSource(parent: number | 'k.parent', viewer: Viewer): FeedSource {
  return (
    params,
  ) => `(SELECT DISTINCT ON (l.feed_key) l.* FROM feed c JOIN feed_listing l ON l.feed_key = c.feed_key
    WHERE c.parent_feed_key = ${parent === 'k.parent' ? parent : params.add(int8, parent)} AND ${visibleSql(viewer, params)}) l WHERE true`;
}
