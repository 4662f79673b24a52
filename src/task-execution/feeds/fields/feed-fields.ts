import { additionalFields } from './additional-fields.sql.ts';
import { defaultFields } from './default-fields.sql.ts';
import type { FeedField } from './feed-field.ts';

/**
 * The registry of all 74 documented feed fields, in document order. REST names, types and projections, and the GraphQL
 * fields with their descriptions, come from here.
 */
export const feedFields = { ...defaultFields, ...additionalFields };

/** Documented name of a feed field, as in `projections`. */
export type FeedFieldName = keyof typeof feedFields;

const names = new Set<string>(Object.keys(feedFields));

export function isFeedFieldName(name: string): name is FeedFieldName {
  return names.has(name);
}

/** All 74 names in document order. */
export const feedFieldNames: readonly FeedFieldName[] =
  Object.keys(feedFields).filter(isFeedFieldName);

/** The 36 fields of a reply without `projections` (F165). */
export const defaultFeedFields: readonly FeedFieldName[] = feedFieldNames.filter(
  (name) => feedFields[name].isDefault === true,
);

/** GraphQL name of a documented field: its camelCase (F002). */
export function graphqlName(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** GraphQL name of a documented field that is not deprecated: where two have the same value, that of both. */
export function currentGraphqlName(name: FeedFieldName): string {
  const { replacedBy }: FeedField = feedFields[name];
  return replacedBy ?? graphqlName(name);
}
