import {
  getNullableType,
  GraphQLError,
  isInputObjectType,
  isInputType,
  isListType,
  typeFromAST,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { isNestedDeeper } from '../../../core/is-nested-deeper.ts';
import { limits } from './limits.ts';

/** Refuses variables that hold more, or nest deeper, than any operation takes; without that, their cost would be known only when they are read. */
export function checkVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): GraphQLError | undefined {
  for (const { variable, type } of operation.variableDefinitions ?? []) {
    const value = variables[variable.name.value];
    if (value === null || typeof value !== 'object') continue;
    if (isNestedDeeper(value, limits.variableDepth))
      return refusal(
        `The variable $${variable.name.value} is nested deeper than ${limits.variableDepth}`,
      );
    const known = typeFromAST(schema, type);
    if (isInputType(known) && hasLongList(known, value))
      return refusal(
        `A list in the variable $${variable.name.value} has more than ${limits.listItems} items`,
      );
  }
  return undefined;
}

/** Looks into what has a type: what a JSON scalar holds is the operation's to judge. */
function hasLongList(type: GraphQLInputType, value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  const named = getNullableType(type);
  if (isListType(named))
    return Array.isArray(value)
      ? value.length > limits.listItems || value.some((item) => hasLongList(named.ofType, item))
      : hasLongList(named.ofType, value);
  if (!isInputObjectType(named)) return false;
  const fields = named.getFields();
  return Object.entries(value).some(
    ([name, item]) => fields[name] !== undefined && hasLongList(fields[name].type, item),
  );
}

function refusal(message: string): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code: 'BAD_USER_INPUT', http: { spec: true, status: 400 } },
  });
}
