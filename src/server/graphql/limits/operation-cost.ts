import {
  getNamedType,
  isObjectType,
  isInterfaceType,
  isUnionType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../../core/lists/pagination.ts';

/** What a document and its variables may hold (D-80). */
export const limits = {
  characters: 50_000,
  tokens: 1_000,
  depth: 12,
  operations: 30,
  'root fields': 30,
  fields: 400,
  aliases: 50,
  'aliases of introspection': 3,
  directives: 50,
  fragments: 30,
  'inline fragments': 50,
  variables: 100,
  variableDepth: 50,
  listItems: 1_000,
  cost: 5_000,
} as const;

/** Page size that a nested connection is charged and read with when no size is asked for. */
const NESTED_PAGE = 10;

/**
 * Cost of an operation (D-80): an object 1, a connection 1 + page size × its rows, a scalar and introspection nothing. Stops counting once
 * it is over the limit, so that no document is expensive to measure.
 */
export function operationCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): number {
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION
        ? [[definition.name.value, definition] as const]
        : [],
    ),
  );
  let visited = 0;

  const costOf = (
    set: SelectionSetNode,
    typeName: string,
    nested: boolean,
    multiplier: number,
  ): number => {
    let sum = 0;
    for (const selection of set.selections) {
      if (++visited > 20_000 || sum * multiplier > limits.cost) return Number.POSITIVE_INFINITY;
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        sum += costOf(
          selection.selectionSet,
          selection.typeCondition?.name.value ?? typeName,
          nested,
          multiplier,
        );
      } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(selection.name.value);
        if (fragment)
          sum += costOf(
            fragment.selectionSet,
            fragment.typeCondition.name.value,
            nested,
            multiplier,
          );
      } else {
        sum += fieldCost(selection, typeName, nested, multiplier);
      }
    }
    return sum;
  };

  const fieldCost = (
    node: FieldNode,
    typeName: string,
    nested: boolean,
    multiplier: number,
  ): number => {
    const type = schema.getType(typeName);
    if (!node.selectionSet || node.name.value.startsWith('__')) return 0;
    const field =
      isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined;
    if (!field) return isUnionType(type) ? 0 : 1;
    const named = getNamedType(field.type).name;
    const first = field.args.find((arg) => arg.name === 'first');
    if (!first) {
      const rows = field.args.some((arg) => arg.name === 'ids')
        ? (lengthOf(node, variables) ?? 1)
        : 1;
      return rows * (1 + costOf(node.selectionSet, named, nested, multiplier * rows));
    }
    const size =
      pageSize(node, operation, variables) ??
      defaultSize(first) ??
      (nested ? NESTED_PAGE : DEFAULT_PAGE_SIZE);
    return 1 + size * costOf(node.selectionSet, named, true, multiplier * size);
  };

  const root = schema.getRootType(operation.operation);
  return root ? costOf(operation.selectionSet, root.name, false, 1) : 0;
}

function defaultSize(argument: GraphQLArgument): number | undefined {
  return typeof argument.defaultValue === 'number' ? argument.defaultValue : undefined;
}

/** How many ids a field is asked for. */
function lengthOf(
  node: FieldNode,
  variables: Readonly<Record<string, unknown>>,
): number | undefined {
  const value = node.arguments?.find((argument) => argument.name.value === 'ids')?.value;
  if (value?.kind === Kind.LIST) return value.values.length;
  const given = value?.kind === Kind.VARIABLE ? variables[value.name.value] : undefined;
  return Array.isArray(given) ? given.length : undefined;
}

/** The size that a connection field asks for: a literal, a variable, or the default of the variable. */
function pageSize(
  node: FieldNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): number | undefined {
  for (const name of ['first', 'last']) {
    let value = node.arguments?.find((argument) => argument.name.value === name)?.value;
    let given: unknown;
    if (value?.kind === Kind.VARIABLE) {
      const variable = value.name.value;
      given = variables[variable];
      value =
        given === undefined
          ? operation.variableDefinitions?.find(
              (definition) => definition.variable.name.value === variable,
            )?.defaultValue
          : undefined;
    }
    if (value?.kind === Kind.INT) given = Number(value.value);
    if (typeof given === 'number') return Math.max(0, Math.min(given, MAX_PAGE_SIZE));
  }
  return undefined;
}
