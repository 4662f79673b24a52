import { isObjectType, type GraphQLSchema } from 'graphql';
import type { GlobalId } from '../global-id.ts';

/** Does it name a type that `node` could return? */
export function isNodeId({ typename }: GlobalId, schema: GraphQLSchema): boolean {
  const type = schema.getType(typename);
  return isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node');
}
