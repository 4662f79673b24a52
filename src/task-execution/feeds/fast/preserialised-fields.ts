import { encodeGlobalID } from '@pothos/plugin-relay';
import {
  getNullableType,
  isLeafType,
  isObjectType,
  type GraphQLField,
  type GraphQLSchema,
} from 'graphql';
import { feedColumns, isFeedColumn, type FeedColumn } from '../fields/feed-columns.sql.ts';
import type { FeedLayout } from '../fields/feed-row.ts';
import { graphqlJson, type CellJson } from './cell-json.ts';

/** The source of a field's value: a column as its codec reads it, or the key of the feed as a global id. */
export type PreserialisedValue = FeedColumn | 'global id';

/** The extension that declares that a field of Feed can be pre-serialised. */
export function preserialisedValue(value: PreserialisedValue): {
  preserialised: PreserialisedValue;
} {
  return { preserialised: value };
}

/** Can the field of this name be pre-serialised? */
export function canPreserialise(name: string, schema: GraphQLSchema): boolean {
  return name === '__typename' || valueOf(fieldOf(name, schema)) !== undefined;
}

const globalId: CellJson = {
  null: undefined,
  bytes: undefined,
  text: (key) => JSON.stringify(encodeGlobalID('Feed', key)),
};

/** The position of a field's value in the rows of a layout, and how to write its JSON. */
export function preserialisedPart(
  name: string,
  layout: FeedLayout,
  schema: GraphQLSchema,
): { place: number; json: CellJson } {
  const field = fieldOf(name, schema);
  const value = valueOf(field);
  const column = value === 'global id' ? 'feed_key' : value;
  const place = column && layout.columns.get(column)?.place;
  const leaf = field && getNullableType(field.type);
  if (!field || !column || place === undefined || !isLeafType(leaf))
    throw new Error(`the feeds were read without ${name}`);
  if (value === 'global id') return { place, json: globalId };
  const nullable = leaf === field.type;
  return { place, json: graphqlJson(feedColumns[column].type, { nullable, leaf }) };
}

type Field = GraphQLField<unknown, unknown>;

function fieldOf(name: string, schema: GraphQLSchema): Field | undefined {
  const feed = schema.getType('Feed');
  return isObjectType(feed) ? feed.getFields()[name] : undefined;
}

function valueOf(field: Field | undefined): PreserialisedValue | undefined {
  const value = field?.extensions['preserialised'];
  return typeof value === 'string' && (value === 'global id' || isFeedColumn(value))
    ? value
    : undefined;
}
