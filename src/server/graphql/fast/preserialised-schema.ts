import {
  GraphQLNonNull,
  GraphQLScalarType,
  isObjectType,
  lexicographicSortSchema,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from 'graphql';
import type { Context } from '../../../core/context/context.ts';
import { preserialisedListOf } from '../../../core/json/json.ts';

const Preserialised = new GraphQLScalarType({
  name: 'Preserialised',
  description: 'JSON that is in the fragments of the request.',
});

const copies = new WeakMap<GraphQLSchema, GraphQLSchema>();

/**
 * A copy of the schema in which lists that support it (see PreserialisedList) are plain values: placeholders for their
 * rows, whose JSON was added to `ctx.fragments`. For compiled queries that select only pre-serialisable fields of the
 * rows. Clients never see this schema.
 */
export function preserialisedSchema(schema: GraphQLSchema): GraphQLSchema {
  let copy = copies.get(schema);
  if (!copy) copies.set(schema, (copy = makeCopy(schema)));
  return copy;
}

function makeCopy(schema: GraphQLSchema): GraphQLSchema {
  // The simplest of graphql's functions that copy a schema: this schema is already sorted.
  const copy = lexicographicSortSchema(schema);
  for (const type of Object.values(copy.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const list = preserialisedListOf(field);
      if (!list) continue;
      field.type = new GraphQLNonNull(Preserialised);
      field.resolve = (
        page: unknown,
        _args: unknown,
        { fragments }: Context,
        info: GraphQLResolveInfo,
      ) => {
        if (!fragments) throw new Error('the context of this request has no json fragments');
        return fragments.add(list.write(page, info));
      };
    }
  }
  return copy;
}
