import type { Cell } from '../../../core/wire/wire.ts';
import type { Params } from '../../../core/lists/pagination.ts';
import type { FeedView, Viewer } from '../../../core/context/viewer.ts';

/** Whom a list of feed_listing belongs to; times ten plus the rows it is its `list`. */
const audience = { user: 1, addressedDept: 2, addressedUnit: 3, dept: 4, unit: 5 } as const;
const rowKinds = { P: 0, T: 1, other: 2 } as const;

/** One list of feed_listing. */
export interface FeedList {
  list: number;
  subjectId: number;
}

/** A row of feed_listing, or of the change log, which keeps the rows that are gone: a feed stands in this list. */
export interface ListedFeed extends FeedList {
  /** Null unless the feed is confidential; then the department whose members may see it, 0 for nobody. */
  confidentialDept: number | null;
}

/** The cells of such a row. */
export function listedFeed(
  list: Cell | undefined,
  subject: Cell | undefined,
  confidentialDept: Cell | undefined,
): ListedFeed {
  return {
    list: Number(list),
    subjectId: Number(subject),
    confidentialDept: confidentialDept == null ? null : Number(confidentialDept),
  };
}

/** Who reads: which lists, and as a member of which departments. */
export interface FeedReader {
  readonly lists: readonly FeedList[];
  readonly homeDeptIds: readonly number[];
}

/**
 * The lists that make up a view of the viewer (D-30): MV what is theirs, followed or watched, or addressed to their departments or unit; DV
 * their departments' feeds; SV their unit's. Together with readableSql, which mayRead says in JavaScript, this is the one rule of who sees a feed.
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
 * Whether no feed is in two of these lists of a view: a feed has at most one department and one unit, and with them one list of each kind
 * (feed_listing_refresh); it may be addressed to several.
 */
export function areDisjoint(lists: readonly FeedList[]): boolean {
  return lists.length < 2 || haveCounters(lists);
}

/** Whether feed_count counts these lists of a view, each feed once: those of departments' and of a store's feeds. */
export function haveCounters(lists: readonly FeedList[]): boolean {
  return (
    lists.length > 0 &&
    lists.every(({ list }) => list === lists[0]?.list && list >= audience.dept * 10)
  );
}

/** Every list that the viewer may read, whatever the view and the kind: what decides whether one feed is visible. */
export function allFeedLists(viewer: Viewer): FeedList[] {
  return (['P', 'T', 'other'] as const).flatMap((rows) =>
    (['MV', 'DV', 'SV'] as const).flatMap((view) => feedLists(viewer, view, rows)),
  );
}

/**
 * "This row stands in a list that the reader reads, and its feed is not confidential, or so in a department that they call home" (D-30). The row has the columns
 * of feed_listing. mayRead says the same.
 */
export function readableSql(row: string, reader: FeedReader, params: Params): string {
  const { lists } = reader;
  const only = lists.length === 1 ? lists[0] : undefined;
  const listed =
    only !== undefined
      ? `${row}.list = ${only.list} AND ${row}.subject_id = ${params.add(only.subjectId)}`
      : `(${row}.list, ${row}.subject_id) IN (SELECT * FROM unnest(${params.add(lists.map(({ list }) => list))}::smallint[], ${params.add(lists.map(({ subjectId }) => subjectId))}::int[]))`;
  return `${listed} AND ${openSql(row, reader, params)}`;
}

/** Tells of a row whether readableSql holds for this reader. */
export function mayRead(reader: FeedReader): (row: ListedFeed) => boolean {
  const lists = new Set(reader.lists.map(listKey));
  const { homeDeptIds } = reader;
  return (row) =>
    lists.has(listKey(row)) &&
    (row.confidentialDept === null || homeDeptIds.includes(row.confidentialDept));
}

/** One number for a list, to find it by. */
export function listKey({ list, subjectId }: FeedList): number {
  return list * 2 ** 32 + subjectId;
}

/** The second half of readableSql, for rows whose list is known. */
export function openSql(
  row: string,
  { homeDeptIds }: Pick<FeedReader, 'homeDeptIds'>,
  params: Params,
): string {
  return `(${row}.confidential_dept IS NULL OR ${row}.confidential_dept = ANY (${params.add(homeDeptIds)}::int[]))`;
}

/** The same of feed_count and feed_count_delta, which write -1 for a feed that is not confidential. */
export function countedOpenSql(
  { homeDeptIds }: Pick<FeedReader, 'homeDeptIds'>,
  params: Params,
): string {
  return `confidential_dept = ANY (${arraySql([-1, ...homeDeptIds], params)})`;
}

/** An array whose length PostgreSQL sees when it plans without the values. */
export function arraySql(values: readonly number[], params: Params): string {
  return `ARRAY[${values.map((value) => params.add(value)).join(', ')}]::int[]`;
}

/** Over `l`: readableSql for all that the viewer may read. */
function visibleSql(viewer: Viewer, params: Params): string {
  return readableSql('l', { lists: allFeedLists(viewer), homeDeptIds: viewer.homeDeptIds }, params);
}

/** "The feed of this expression is visible to the viewer." */
export function visibleFeedSql(feedKey: string, viewer: Viewer, params: Params): string {
  return `EXISTS (SELECT FROM feed_listing l WHERE l.feed_key = ${feedKey} AND ${visibleSql(viewer, params)})`;
}

/** Rows to page over, as FROM and WHERE over `l`; one for each list. */
export type FeedSource = (params: Params) => string;

/** The rows of one list. */
export function listSource(list: FeedList, { homeDeptIds }: Viewer): FeedSource {
  return (params) =>
    `feed_listing l WHERE ${readableSql('l', { lists: [list], homeDeptIds }, params)}`;
}

/** The feeds below a feed (a key, or the column `parent` of `k`), each once, in whichever list the viewer sees it. */
export function childSource(parent: number | 'k.parent', viewer: Viewer): FeedSource {
  return (
    params,
  ) => `(SELECT DISTINCT ON (l.feed_key) l.* FROM feed c JOIN feed_listing l ON l.feed_key = c.feed_key
    WHERE c.parent_feed_key = ${parent === 'k.parent' ? parent : params.add(parent)} AND ${visibleSql(viewer, params)}) l WHERE true`;
}
