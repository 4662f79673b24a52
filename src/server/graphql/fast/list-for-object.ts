import {
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  typeFromAST,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';

/**
 * Does a variable contain a list where an input object is expected? graphql-jit treats it as an empty object,
 * graphql-js rejects it.
 */
export function hasListForObject(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): boolean {
  return (operation.variableDefinitions ?? []).some(({ variable, type }) => {
    const value = variables[variable.name.value];
    if (value === null || typeof value !== 'object') return false;
    const known = typeFromAST(schema, type);
    return isInputType(known) && holdsList(known, value);
  });
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
