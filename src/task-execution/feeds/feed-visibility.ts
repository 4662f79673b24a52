import type { Params } from '../../core/lists/pagination.ts';
import type { FeedView, Viewer } from '../../core/context/viewer.ts';

/** Whom a list of feed_listing belongs to; times ten plus the rows it is its `list`. */
const audience = { user: 1, addressedDept: 2, addressedUnit: 3, dept: 4, unit: 5 } as const;
const rowKinds = { P: 0, T: 1, other: 2 } as const;

/** One list of feed_listing. */
export interface FeedList {
  list: number;
  subjectId: number;
}

/**
 * The lists that make up a view of the viewer (D-30): MV what is theirs, followed or watched, or addressed to their departments or unit; DV
 * their departments' feeds; SV their unit's. With confidentialSql this is the one visibility predicate: lists, counts and single feeds all use it.
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

/** Confidential feeds only for members of the department who call it home (D-30). Over `l` (feed_listing). */
export function confidentialSql(viewer: Viewer, params: Params): string {
  return `(l.confidential_dept IS NULL OR l.confidential_dept = ANY (${params.add(viewer.homeDeptIds)}::int[]))`;
}

/** "This row `l` of feed_listing is in a list that the viewer may read." */
function inMyListsSql(viewer: Viewer, params: Params): string {
  const lists = allFeedLists(viewer);
  const numbers = params.add(lists.map((item) => item.list));
  const subjects = params.add(lists.map((item) => item.subjectId));
  return `(l.list, l.subject_id) IN (SELECT * FROM unnest(${numbers}::smallint[], ${subjects}::int[])) AND ${confidentialSql(viewer, params)}`;
}

/** "The feed of this expression is visible to the viewer." */
export function visibleFeedSql(feedKey: string, viewer: Viewer, params: Params): string {
  return `EXISTS (SELECT FROM feed_listing l WHERE l.feed_key = ${feedKey} AND ${inMyListsSql(viewer, params)})`;
}

/** Rows to page over, as FROM and WHERE over `l`; one for each list. */
export type FeedSource = (params: Params) => string;

/** The rows of one list. */
export function listSource({ list, subjectId }: FeedList, viewer: Viewer): FeedSource {
  return (params) =>
    `feed_listing l WHERE l.list = ${list} AND l.subject_id = ${params.add(subjectId)} AND ${confidentialSql(viewer, params)}`;
}

/** The feeds below a feed (a key, or the column `parent` of `k`), each once, in whichever list the viewer sees it. */
export function childSource(parent: number | 'k.parent', viewer: Viewer): FeedSource {
  return (
    params,
  ) => `(SELECT DISTINCT ON (l.feed_key) l.* FROM feed c JOIN feed_listing l ON l.feed_key = c.feed_key
    WHERE c.parent_feed_key = ${parent === 'k.parent' ? parent : params.add(parent)} AND ${inMyListsSql(viewer, params)}) l WHERE true`;
}
