import { statement, type TypedParams } from '../../core/sql/statement.ts';
import { bool, int4, int4s, int8, int8s, texts } from '../../core/sql/types.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import { ofFeed } from '../calendar/calendar-filter.sql.ts';
import { feedFilterSql } from '../feeds/selection/feed-filter.sql.ts';
import type { LeadershipFilter } from './leadership-filter.ts';

/**
 * Those projects of the domain that are among the feeds get this legend instead of the one they have; returns them, and
 * which had another one.
 */
export const giveLegend = statement({
  text: `WITH project AS (
      SELECT feed_key FROM feed WHERE feed_key = ANY ($feedKeys) AND domain_id = $domainId AND kind = 'PROJECT'
    ), given AS (
      INSERT INTO feed_legend AS l (feed_key, legend_id) SELECT feed_key, $legendId FROM project
      ON CONFLICT (feed_key) DO UPDATE SET legend_id = excluded.legend_id WHERE l.legend_id <> excluded.legend_id
      RETURNING feed_key)
    SELECT feed_key, feed_key IN (SELECT g.feed_key FROM given g) AS is_changed FROM project`,
  params: { legendId: int4, feedKeys: int8s, domainId: int4 },
  row: { feedKey: int8, isChanged: bool },
});

/** The conditions of a filter over `l` (feed_listing). */
export function leadershipConditions(
  filter: LeadershipFilter,
  viewer: Viewer,
  params: TypedParams,
): string[] {
  const sql = [`f.kind = 'PROJECT'`];
  if (!filter.showFieldProjects) sql.push('f.parent_feed_key IS NULL');
  if (filter.execLevels)
    sql.push(`f.exec_level = ANY (${params.add(texts, filter.execLevels.map(String))})`);
  if (filter.viewUnits) sql.push(`f.unit_id = ANY (${params.add(int4s, filter.viewUnits)}::int[])`);
  if (filter.assignments)
    sql.push(
      `EXISTS (SELECT FROM feed_assignment a WHERE a.feed_key = f.feed_key AND a.dept_id = ANY (${params.add(int4s, filter.assignments)}::int[]))`,
    );
  if (filter.legendTypes)
    sql.push(
      `EXISTS (SELECT FROM feed_legend g JOIN leadership_legend n ON n.id = g.legend_id WHERE g.feed_key = f.feed_key AND n.legend_type_id = ANY (${params.add(int4s, filter.legendTypes)}::int[]))`,
    );
  const common = {
    feedTypeIds: filter.projectTypeIds,
    feedTitle: filter.projectTitle,
    priorities: filter.priorities,
  };
  return [...feedFilterSql(common, viewer, params), ...ofFeed(sql)];
}
