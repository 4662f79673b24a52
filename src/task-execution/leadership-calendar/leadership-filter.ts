import type { Params } from '../../core/lists/pagination.ts';
import { isStorable } from '../../core/text.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import { ofFeed } from '../calendar/calendar-filter.ts';
import { boundFilter } from '../feeds/selection/bound-filter.ts';
import { feedFilterSql } from '../feeds/selection/feed-filter.ts';
import { feedLists, type FeedList } from '../feeds/selection/feed-visibility.ts';

/** What narrows the leadership calendar. Absent or null: no restriction; an empty list matches nothing (P3). */
export interface LeadershipFilter {
  projectTypeIds?: readonly string[] | null | undefined;
  execLevels?: readonly number[] | null | undefined;
  /** Departments that the project is assigned to. */
  assignments?: readonly number[] | null | undefined;
  viewUnits?: readonly number[] | null | undefined;
  /** Substring, case-insensitive. */
  projectTitle?: string | null | undefined;
  legendTypes?: readonly number[] | null | undefined;
  priorities?: readonly number[] | null | undefined;
  /** My view instead of the viewer's unit and departments (D-49). */
  showOnlyMyProjects?: boolean | null | undefined;
  /** Also projects below others. */
  showFieldProjects?: boolean | null | undefined;
}

/** The lists that the leadership calendar reads (D-49). */
export function leadershipLists(viewer: Viewer, filter: LeadershipFilter): FeedList[] {
  return filter.showOnlyMyProjects
    ? feedLists(viewer, 'MV', 'P')
    : [...feedLists(viewer, 'DV', 'P'), ...feedLists(viewer, 'SV', 'P')];
}

/** The conditions of a filter over `l` (feed_listing). */
export function leadershipConditions(
  filter: LeadershipFilter,
  viewer: Viewer,
  params: Params,
): string[] {
  boundFilter(filter);
  const sql = [`f.kind = 'PROJECT'`];
  if (!filter.showFieldProjects) sql.push('f.parent_feed_key IS NULL');
  if (filter.execLevels)
    sql.push(`f.exec_level = ANY (${params.add(filter.execLevels.map(String))})`);
  if (filter.viewUnits) sql.push(`f.unit_id = ANY (${params.add([...filter.viewUnits])}::int[])`);
  if (filter.assignments)
    sql.push(
      `EXISTS (SELECT FROM feed_assignment a WHERE a.feed_key = f.feed_key AND a.dept_id = ANY (${params.add([...filter.assignments])}::int[]))`,
    );
  if (filter.legendTypes) {
    sql.push(
      `EXISTS (SELECT FROM feed_legend g JOIN leadership_legend n ON n.id = g.legend_id WHERE g.feed_key = f.feed_key AND n.legend_type_id = ANY (${params.add([...filter.legendTypes])}::int[]))`,
    );
  }
  const common = {
    feedTypeIds: filter.projectTypeIds?.filter(isStorable),
    feedTitle: filter.projectTitle,
    priorities: filter.priorities,
  };
  return [...feedFilterSql(common, viewer, params), ...ofFeed(sql)];
}
