import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  valueFromASTUntyped,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { costOfField } from '../../../core/graphql/field-cost.ts';
import { fragmentsOf } from '../../../core/graphql/walk-selection.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../../core/lists/pagination.ts';
import { isPlainField } from './is-plain-field.ts';
import { limits } from './limits.ts';

/** Page size of a nested connection, and basis of its cost, when none is requested. */
const NESTED_PAGE = 10;

/** Cost of a filter: it may find few rows, but all have to be examined. */
const FILTER = 20;

/** So many values of a list argument are charged as one object; values of a filter are charged one each, since rows are compared with all of them. */
const VALUES = 4;

/** Fields evaluated for all rows of a list together cost this many times less per row than alone. */
const TOGETHER = 10;

/** Most selections that are visited, so that no document is expensive to measure. */
const MOST_VISITED = 20_000;

type Values = Readonly<Record<string, unknown>>;

/**
 * Costs of selections of plain fields without variables, by type: the same whenever a document that is kept runs again.
 * They are most of a document, and its cost is counted on every request.
 */
const plainCosts = new WeakMap<SelectionSetNode, Map<string, number>>();

/** A field with the values of its arguments, whether they come from the document, a variable or a default. */
interface Call {
  field: GraphQLField<unknown, unknown>;
  args: Values;
  /** Cost of the field itself and its arguments. */
  own: number;
}

/**
 * Cost of an operation (D-80), from the objects that may be returned and the work to find them: an object 1, a
 * connection 1 + page size × its rows, any other list its declared rows; filters and lists in arguments are added;
 * scalars and introspection are free unless declared otherwise. Stops counting beyond the limit.
 */
export function operationCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Values,
): number {
  const fragments = fragmentsOf(document);
  const variables = withDefaults(operation, given);
  const calls = new Map<string, Map<FieldNode, Call | undefined>>();
  let visited = 0;

  const callOf = (node: FieldNode, typeName: string): Call | undefined => {
    let known = calls.get(typeName);
    if (!known) calls.set(typeName, (known = new Map<FieldNode, Call | undefined>()));
    if (!known.has(node)) known.set(node, readCall(schema, node, typeName, variables));
    return known.get(node);
  };

  /** `once` is the part of a connection's cost that counts only once; the rest counts for each of its rows. */
  const costOf = (
    set: SelectionSetNode,
    place: { typeName: string; nested: boolean; multiplier: number; above: Values },
  ): { each: number; once: number } => {
    const plain = plainCosts.get(set)?.get(place.typeName);
    if (plain !== undefined) return { each: 0, once: plain };
    const sum = { each: 0, once: 0 };
    for (const selection of set.selections) {
      if (++visited > MOST_VISITED || sum.each * place.multiplier + sum.once > limits.cost)
        return { each: Number.POSITIVE_INFINITY, once: 0 };
      if (selection.kind === Kind.FIELD) {
        const { each, once } = fieldCost(selection, place);
        sum.each += each;
        sum.once += once;
        continue;
      }
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value] : selection;
      if (!fragment) continue;
      const typeName = fragment.typeCondition?.name.value ?? place.typeName;
      const { each, once } = costOf(fragment.selectionSet, { ...place, typeName });
      sum.each += each;
      sum.once += once;
    }
    if (set.selections.every(isPlainField)) {
      const known = plainCosts.get(set) ?? new Map<string, number>();
      plainCosts.set(set, known.set(place.typeName, sum.once));
    }
    return sum;
  };

  const fieldCost = (
    node: FieldNode,
    place: { typeName: string; nested: boolean; multiplier: number; above: Values },
  ): { each: number; once: number } => {
    if (node.name.value.startsWith('__')) return { each: 0, once: 0 };
    const call = callOf(node, place.typeName);
    if (!call) return { each: node.selectionSet ? 1 : 0, once: 0 };
    const { field, args, own } = call;
    if (!node.selectionSet) return { each: 0, once: own };
    const below = {
      typeName: getNamedType(field.type).name,
      above: args,
      nested: place.nested,
      multiplier: place.multiplier,
    };
    if (field.args.some(({ name }) => name === 'first')) {
      const size = pageSize(args) ?? (place.nested ? NESTED_PAGE : DEFAULT_PAGE_SIZE);
      const { each, once } = costOf(node.selectionSet, {
        ...below,
        nested: true,
        multiplier: place.multiplier * size,
      });
      // Fields of all rows of a list are evaluated together.
      const evaluated = place.nested ? Math.ceil(once / TOGETHER) : once;
      return { each: 1 + own + times(size, each) + evaluated, once: 0 };
    }
    const rows = rowsOf(field, args, place.above);
    const { each, once } = costOf(node.selectionSet, {
      ...below,
      multiplier: place.multiplier * rows,
    });
    return { each: own + times(rows, 1 + each + once), once: 0 };
  };

  const root = schema.getRootType(operation.operation);
  if (!root) return 0;
  const { each, once } = costOf(operation.selectionSet, {
    typeName: root.name,
    nested: false,
    multiplier: 1,
    above: {},
  });
  return each + once;
}

/** Unlike plain multiplication, Infinity times 0 is 0. */
function times(size: number, each: number): number {
  return size === 0 && each !== Number.POSITIVE_INFINITY ? 0 : size * each;
}

/** The values of an operation's variables: as sent, else their defaults. */
function withDefaults(operation: OperationDefinitionNode, given: Values): Values {
  return Object.fromEntries(
    (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) => {
      const name = variable.name.value;
      const sent = Object.hasOwn(given, name) ? given[name] : undefined;
      if (sent !== undefined) return [[name, sent] as const];
      return defaultValue ? [[name, valueFromASTUntyped(defaultValue)] as const] : [];
    }),
  );
}

function readCall(
  schema: GraphQLSchema,
  node: FieldNode,
  typeName: string,
  variables: Values,
): Call | undefined {
  const type = schema.getType(typeName);
  const field =
    isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined;
  if (!field) return undefined;
  const { weight = 0, rowsOf: sizing } = costOfField(field);
  const args: Record<string, unknown> = {};
  let own = weight;
  for (const { name, type: argType, defaultValue } of field.args) {
    const literal = node.arguments?.find((argument) => argument.name.value === name)?.value;
    const value = literal && valueFromASTUntyped(literal, variables);
    args[name] = value === undefined ? defaultValue : value;
    if (name === sizing) continue;
    const values = countValues(argType, args[name]);
    if (/^filter(Id)?$/.test(name)) own += values + (isFilled(args[name]) ? FILTER : 0);
    else own += Math.floor(values / VALUES);
  }
  return { field, args, own };
}

/** Length of a list: its declared rows, or the length of an argument, possibly of the field above. */
function rowsOf(field: GraphQLField<unknown, unknown>, args: Values, above: Values): number {
  const { rows = 1, rowsOf: sizing } = costOfField(field);
  if (sizing === undefined) return rows;
  const [name = '', ...path] = sizing.split('.');
  const value = path.reduce<unknown>(
    (inner, key) => (isRecord(inner) ? inner[key] : undefined),
    name in args ? args[name] : above[name],
  );
  return Array.isArray(value) ? value.length : rows;
}

/** The page size that a connection field requests. */
function pageSize(args: Values): number | undefined {
  for (const size of [args['first'], args['last']])
    if (typeof size === 'number') return Math.max(0, Math.min(size, MAX_PAGE_SIZE));
  return undefined;
}

/** Number of values in the lists of an argument; the content of JSON scalars is not counted. */
function countValues(type: GraphQLInputType, value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  const known = getNullableType(type);
  if (isListType(known))
    return Array.isArray(value)
      ? value.reduce<number>((sum, item) => sum + countValues(known.ofType, item), value.length)
      : countValues(known.ofType, value);
  if (!isInputObjectType(known) || !isRecord(value)) return 0;
  const fields = known.getFields();
  return Object.entries(value).reduce(
    (sum, [name, item]) => sum + (fields[name] ? countValues(fields[name].type, item) : 0),
    0,
  );
}

function isFilled(filter: unknown): boolean {
  return isRecord(filter)
    ? Object.values(filter).some((value) => value != null)
    : typeof filter === 'string' && filter !== '';
}

function isRecord(value: unknown): value is Values {
  return typeof value === 'object' && value !== null;
}
