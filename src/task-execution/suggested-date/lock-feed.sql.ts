import { statement } from '../../core/sql/statement.ts';
import { char, int4, int8, nullable } from '../../core/sql/types.ts';

/** A feed, locked until the end of the transaction. */
export const lockFeed = statement({
  text: 'SELECT sugg_start_date, sugg_end_date, version FROM feed WHERE feed_key = $feedKey AND deleted_at IS NULL FOR UPDATE',
  params: { feedKey: int8 },
  row: { suggStartDate: nullable(char), suggEndDate: nullable(char), version: int4 },
});
