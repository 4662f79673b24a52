import type { SqlType } from '../../../core/sql/types.ts';
import type { FeedFieldType } from './feed-codecs.ts';

/** How a field of a feed is read and shown. */
export interface FeedField {
  type: FeedFieldType;
  /** Returned when `projections` is omitted. */
  isDefault?: true;
  /** SQL over `f` (feed) and `s` (the viewer's feed_user_state); `:user` and `:overdueBefore` are bound when used. */
  sql: string;
  /** GraphQL name of a field with the same value: the one to use instead of `graphqlName`, which is deprecated. */
  replacedBy?: string;
  /** Type of its cells, if they are not those of its type of field. */
  stored?: SqlType<unknown>;
  description: string;
}

/** A field that is returned when `projections` is omitted. */
export function shown(type: FeedFieldType, sql: string, description: string): FeedField {
  return { type, isDefault: true, sql, description };
}

/** A field that is returned only when `projections` names it. */
export function additional(type: FeedFieldType, sql: string, description: string): FeedField {
  return { type, sql, description };
}

/** A field whose GraphQL name is deprecated for another one with the same value. */
export function renamed(replacedBy: string, field: FeedField): FeedField {
  return { ...field, replacedBy };
}
