import {
  GraphQLNonNull,
  GraphQLScalarType,
  isObjectType,
  lexicographicSortSchema,
  type GraphQLResolveInfo,
} from 'graphql';
import type { Context } from '../../../core/context/context.ts';
import type { Connection } from '../../../core/lists/pagination.ts';
import type { FeedRow } from '../../../task-execution/feeds/feed-row.ts';
import {
  writeSelectedFeeds,
  type FeedListField,
} from '../../../task-execution/feeds/write-selected-feeds.ts';
import { schema } from '../schema/schema.ts';

/** The connection whose rows may be written from the bytes in which the database sent them. */
export const WRITTEN = 'FeedConnection';
export const writtenFields: readonly FeedListField[] = ['nodes', 'edges'];

const Written = new GraphQLScalarType({
  name: 'Written',
  description: 'JSON that is written already.',
});

/**
 * The schema with the rows of feeds as values: for compiled queries that select nothing of a row but values, whose answer then takes the JSON of the rows from `ctx.pieces`.
 * Clients never see it.
 */
export const writtenSchema = lexicographicSortSchema(schema);

const connection = writtenSchema.getType(WRITTEN);
if (!isObjectType(connection)) throw new Error(`no type ${WRITTEN}`);
for (const name of writtenFields) {
  const field = connection.getFields()[name];
  if (!field) throw new Error(`no field ${WRITTEN}.${name}`);
  field.type = new GraphQLNonNull(Written);
  field.resolve = (
    page: Connection<FeedRow>,
    _args: unknown,
    { pieces }: Context,
    info: GraphQLResolveInfo,
  ) => {
    if (!pieces) throw new Error('no place for what is written');
    return pieces.keep(writeSelectedFeeds(name, page, info));
  };
}
