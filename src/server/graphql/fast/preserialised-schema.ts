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
 * A copy of a schema in which the lists that say so (see PreserialisedList) are values: the placeholders of their rows, which were added to `ctx.fragments`. For compiled
 * queries that select nothing of the rows but what can be pre-serialised. Clients never see it.
 */
export function preserialisedSchema(schema: GraphQLSchema): GraphQLSchema {
  let copy = copies.get(schema);
  if (!copy) copies.set(schema, (copy = makeCopy(schema)));
  return copy;
}

function makeCopy(schema: GraphQLSchema): GraphQLSchema {
  // Of the functions of graphql that copy a schema the plainest: the schema is in this order already.
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
        if (!fragments) throw new Error('a request without a place for fragments');
        return fragments.add(list.write(page, info));
      };
    }
  }
  return copy;
}
