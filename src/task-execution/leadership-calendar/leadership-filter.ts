import type { TypedParams } from '../../core/sql/statement.ts';
import { int4s, texts } from '../../core/sql/types.ts';
import { isStorable } from '../../core/text.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import { ofFeed } from '../calendar/calendar-filter.ts';
import { boundFilter } from '../feeds/selection/bound-filter.ts';
import { feedFilterSql } from '../feeds/selection/feed-filter.ts';
import { feedLists, type FeedList } from '../feeds/selection/feed-visibility.ts';
import { hasLegendOf, isAssignedTo } from './leadership-calendar.sql.ts';

/** Filter of the leadership calendar. Absent or null: no restriction; an empty list matches nothing (P3). */
export interface LeadershipFilter {
  projectTypeIds?: readonly string[] | null | undefined;
  execLevels?: readonly number[] | null | undefined;
  /** Departments to which the project is assigned. */
  assignments?: readonly number[] | null | undefined;
  viewUnits?: readonly number[] | null | undefined;
  /** Substring, case-insensitive. */
  projectTitle?: string | null | undefined;
  legendTypes?: readonly number[] | null | undefined;
  priorities?: readonly number[] | null | undefined;
  /** My view instead of the viewer's unit and departments (D-49). */
  showOnlyMyProjects?: boolean | null | undefined;
  /** Include projects below other projects. */
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
  params: TypedParams,
): string[] {
  boundFilter(filter);
  const sql = [`f.kind = 'PROJECT'`];
  if (!filter.showFieldProjects) sql.push('f.parent_feed_key IS NULL');
  if (filter.execLevels)
    sql.push(`f.exec_level = ANY (${params.add(texts, filter.execLevels.map(String))})`);
  if (filter.viewUnits) sql.push(`f.unit_id = ANY (${params.add(int4s, filter.viewUnits)}::int[])`);
  if (filter.assignments) sql.push(isAssignedTo(params.add(int4s, filter.assignments)));
  if (filter.legendTypes) {
    sql.push(hasLegendOf(params.add(int4s, filter.legendTypes)));
  }
  const common = {
    feedTypeIds: filter.projectTypeIds?.filter(isStorable),
    feedTitle: filter.projectTitle,
    priorities: filter.priorities,
  };
  return [...feedFilterSql(common, viewer, params), ...ofFeed(sql)];
}
