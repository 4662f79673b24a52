import {
  getNullableType,
  isInputObjectType,
  isListType,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { isNestedDeeper } from '../../../core/json-values.ts';
import { checkLargeValue } from './check-large-value.ts';
import { limits } from './limits.ts';
import { refusal } from './refusal.ts';
import { variableTypes } from './variable-types.ts';

const CODE = 'BAD_USER_INPUT';

/**
 * Refuses variables with longer lists or deeper nesting than any operation accepts, as their cost would be known only
 * after reading them, and large ones of another type than they must have.
 */
export function checkVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): GraphQLError | undefined {
  for (const { name, type } of variableTypes(schema, operation)) {
    const value = variables[name];
    if (isNestedDeeper(value, limits.variableDepth))
      return refusal(`The variable $${name} is nested deeper than ${limits.variableDepth}`, CODE);
    const limit = type && brokenLimit(type, value);
    if (limit !== undefined)
      return refusal(`A list in the variable $${name} has more than ${limit} items`, CODE);
    const fault = type && checkLargeValue(name, type, value);
    if (fault) return fault;
  }
  return undefined;
}

/**
 * The limit that a list exceeds; undefined if none. Only looks into typed values: the content of a JSON scalar is
 * checked by the operation. An input field that allows longer lists declares `maxItems` in its extensions.
 */
function brokenLimit(
  type: GraphQLInputType,
  value: unknown,
  maxItems: number = limits.listItems,
): number | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const named = getNullableType(type);
  if (isListType(named)) {
    if (!Array.isArray(value)) return brokenLimit(named.ofType, value);
    return value.length > maxItems
      ? maxItems
      : firstOf(value, (item: unknown) => brokenLimit(named.ofType, item));
  }
  if (!isInputObjectType(named) || Array.isArray(value)) return undefined;
  const fields = named.getFields();
  return firstOf(Object.entries(value), ([name, item]) => {
    const field = fields[name];
    if (!field) return undefined;
    const { maxItems: own } = field.extensions;
    return brokenLimit(field.type, item, typeof own === 'number' ? own : undefined);
  });
}

function firstOf<T>(
  items: readonly T[],
  look: (item: T) => number | undefined,
): number | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
