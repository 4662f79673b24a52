import {
  getNullableType,
  isInputObjectType,
  isListType,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { variableTypes } from '../limits/variable-types.ts';

/**
 * Does a variable contain a list where an input object is expected? graphql-jit treats it as an empty object,
 * graphql-js rejects it.
 */
export function hasListForObject(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): boolean {
  return variableTypes(schema, operation).some(
    ({ name, type }) => type !== undefined && holdsList(type, variables[name]),
  );
}

function holdsList(type: GraphQLInputType, value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  const named = getNullableType(type);
  if (isListType(named)) {
    const items: unknown[] = Array.isArray(value) ? value : [value];
    return items.some((item) => holdsList(named.ofType, item));
  }
  if (!isInputObjectType(named)) return false;
  if (Array.isArray(value)) return true;
  const fields = named.getFields();
  return Object.entries(value).some(([name, item]) => {
    const field = fields[name];
    return field !== undefined && holdsList(field.type, item);
  });
}
