import { decodeGlobalID } from '@pothos/plugin-relay';
import { isObjectType, type GraphQLSchema } from 'graphql';

export interface GlobalId {
  typename: string;
  id: string;
}

/** Type and key of a global id, with or without the padding of base64; undefined when it is none. */
export function readGlobalId(id: string): GlobalId | undefined {
  try {
    const bare = id.replace(/={1,2}$/, '');
    return decodeGlobalID(bare.padEnd(Math.ceil(bare.length / 4) * 4, '='));
  } catch {
    return undefined;
  }
}

/** Does it name an object that `node` could find? */
export function isNodeId({ typename }: GlobalId, schema: GraphQLSchema): boolean {
  const type = schema.getType(typename);
  return isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node');
}
