import { statement } from '../../core/sql/statement.ts';
import { arrayOf, int4, int8 } from '../../core/sql/types.ts';

/** Those projects of the domain that are among the feeds get this legend instead of the one they have. */
export const giveLegend = statement({
  text: `INSERT INTO feed_legend (feed_key, legend_id)
    SELECT feed_key, $legendId FROM feed WHERE feed_key = ANY ($feedKeys) AND domain_id = $domainId AND kind = 'PROJECT'
    ON CONFLICT (feed_key) DO UPDATE SET legend_id = excluded.legend_id RETURNING feed_key`,
  params: { legendId: int4, feedKeys: arrayOf(int8), domainId: int4 },
  row: { feedKey: int8 },
});

/** "The feed `f` is assigned to one of these departments", of a placeholder. */
export function isAssignedTo(deptIds: string): string {
  return `EXISTS (SELECT FROM feed_assignment a WHERE a.feed_key = f.feed_key AND a.dept_id = ANY (${deptIds}::int[]))`;
}

/** "The feed `f` has a legend of one of these types", of a placeholder. */
export function hasLegendOf(types: string): string {
  return `EXISTS (SELECT FROM feed_legend g JOIN leadership_legend n ON n.id = g.legend_id WHERE g.feed_key = f.feed_key AND n.legend_type_id = ANY (${types}::int[]))`;
}
