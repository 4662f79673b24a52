import { countDays, type Day } from '../../core/time/days.ts';
import { dayOf, numberOf, textOf } from '../calendar/row-values.ts';
import type { FeedRow } from '../feeds/fields/feed-row.ts';

/** A project of the leadership calendar. */
export interface LeadershipProject {
  projectId: number;
  projectTitle: string;
  projectType: string | null;
  /** In the session's zone. */
  startDate: Day;
  endDate: Day;
  /** Days from start to end, both included; not clipped to the period (D-46). */
  span: number;
  priority: number | null;
  legend: LeadershipLegend | null;
}

/** A colour of projects, with its name. */
export interface LeadershipLegend {
  id: number;
  name: string;
  color: string;
}

/** A row of feeds as a project, given the legends by their ids. */
export function toProject(
  row: FeedRow,
  legends: ReadonlyMap<number, LeadershipLegend>,
): LeadershipProject {
  const days = [dayOf(row, 'start_date_time'), dayOf(row, 'end_date_time')]
    .flatMap((day) => day ?? [])
    .sort();
  const [startDate = '', endDate = startDate] = days;
  const legendId = numberOf(row, 'legend_id');
  return {
    projectId: row.feedKey,
    projectTitle: textOf(row, 'feed_title') ?? '',
    projectType: textOf(row, 'feed_type_id'),
    startDate,
    endDate,
    span: countDays(startDate, endDate),
    priority: numberOf(row, 'priority'),
    legend: (legendId === null ? undefined : legends.get(legendId)) ?? null,
  };
}
