import type { Viewer } from '../../core/context/viewer.ts';
import { feedLists, type FeedList } from '../feeds/selection/feed-visibility.sql.ts';

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
