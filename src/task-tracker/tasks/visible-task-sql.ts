import type { Context } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import type { Params } from '../../core/lists/pagination.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import { visibleFeedSql } from '../../task-execution/feeds/selection/feed-visibility.ts';

/** "This supervisor looks after the feed `f`": it is of their domain, and of their unit or of none. */
export function supervisedSql(viewer: Viewer, params: Params): string {
  return `f.domain_id = ${params.add(viewer.domainId)}::int AND f.deleted_at IS NULL AND (f.unit_id IS NULL OR f.unit_id = ${params.add(viewer.unitId)}::int)`;
}

/** "The task `t` with its feed `f` is visible": to the customer who sent it, to whoever sees its feed, and to supervisors of its unit. Throws E202. */
export function visibleTaskSql(ctx: Context, params: Params): string {
  const { customer, viewer } = ctx;
  if (!customer && !viewer) throw new AppError('E202');
  const rules = [
    ...(customer ? [`t.customer_id = ${params.add(customer.customerId)}`] : []),
    ...(viewer ? [visibleFeedSql('t.feed_key', viewer, params)] : []),
    ...(viewer?.permissions.has('SUPERVISOR') ? [`(${supervisedSql(viewer, params)})`] : []),
  ];
  return `(${rules.join(' OR ')})`;
}
