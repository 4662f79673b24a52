import {
  getNamedType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { FieldCost } from '../../../core/graphql/field-cost.ts';
import { fragmentsOf } from '../../../core/graphql/walk-selection.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../../core/lists/pagination.ts';
import { isPlainField } from './is-plain-field.ts';
import { limits } from './limits.ts';
import { readCall, withDefaults, type Call, type Values } from './read-call.ts';
import { isRecord } from '../../../core/json-values.ts';

/** Page size of a nested connection, and basis of its cost, when none is requested. */
const NESTED_PAGE = 10;

/** Fields evaluated for all rows of a list together cost this many times less per row than alone. */
const TOGETHER = 10;

/** Most selections that are visited, so that no document is expensive to measure. */
const MOST_VISITED = 20_000;

/**
 * Costs of selections of plain fields without variables, by type: the same whenever a document that is kept runs again.
 * They are most of a document, and its cost is counted on every request.
 */
const plainCosts = new WeakMap<SelectionSetNode, Map<string, number>>();

/** A selection, and where it is in the document. */
interface Place {
  typeName: string;
  /** Is it below a list? */
  nested: boolean;
  /** Rows of the lists above, multiplied. */
  multiplier: number;
  /** Arguments of the field above. */
  above: Values;
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
  const calls = new Map<FieldNode, Call | undefined>();
  let visited = 0;

  const callOf = (node: FieldNode, typeName: string): Call | undefined => {
    // The fields of a fragment are read once, wherever it is used: a field of a document has one type.
    if (!calls.has(node)) calls.set(node, readCall(schema, node, typeName, variables));
    return calls.get(node);
  };

  /** `once` is the part of a connection's cost that counts only once; the rest counts for each of its rows. */
  const costOf = (set: SelectionSetNode, place: Place): { each: number; once: number } => {
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

  const fieldCost = (node: FieldNode, place: Place): { each: number; once: number } => {
    if (node.name.value.startsWith('__')) return { each: 0, once: 0 };
    const call = callOf(node, place.typeName);
    if (!call) return { each: node.selectionSet ? 1 : 0, once: 0 };
    const { field, declared, args, own } = call;
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
    const rows = rowsOf(declared, args, place.above);
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

/** Length of a list: its declared rows, or the length of an argument, possibly of the field above. */
function rowsOf({ rows = 1, rowsOf: sizing }: FieldCost, args: Values, above: Values): number {
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
