import {
  BREAK,
  GraphQLError,
  Kind,
  visit,
  type DocumentNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf, type Fragments } from '../../../core/graphql/walk-selection.ts';
import { limits } from './limits.ts';

/**
 * Checks a parsed document before validation, because validating the documents that this refuses would be expensive.
 * Visits each node once, and each fragment once.
 */
export function checkDocument(document: DocumentNode): GraphQLError | undefined {
  const counted = checkCounts(document);
  if (counted) return counted;
  const fragments = fragmentsOf(document);
  return checkDepth(document, fragments) ?? checkRootFields(document, fragments);
}

/** How often each kind of node occurs, in all definitions, used or not. */
function checkCounts(document: DocumentNode): GraphQLError | undefined {
  const counts = {
    operations: 0,
    fragments: 0,
    variables: 0,
    fields: 0,
    aliases: 0,
    'aliases of introspection': 0,
    directives: 0,
    'inline fragments': 0,
  };
  let refusal: GraphQLError | undefined;
  let introspection = 0;
  const count = (what: keyof typeof counts): unknown => {
    if (++counts[what] <= limits[what]) return undefined;
    refusal = tooMuch(what, limits[what]);
    return BREAK;
  };
  visit(document, {
    OperationDefinition: () => count('operations'),
    FragmentDefinition: {
      enter(node) {
        if (node.typeCondition.name.value.startsWith('__')) introspection++;
        return count('fragments');
      },
      leave(node) {
        if (node.typeCondition.name.value.startsWith('__')) introspection--;
      },
    },
    Field: {
      enter(node) {
        if (isIntrospection(node.name.value)) introspection++;
        return (
          count('fields') ??
          (node.alias
            ? (count('aliases') ??
              (introspection > 0 ? count('aliases of introspection') : undefined))
            : undefined)
        );
      },
      leave(node) {
        if (isIntrospection(node.name.value)) introspection--;
      },
    },
    VariableDefinition: () => count('variables'),
    Directive: () => count('directives'),
    InlineFragment: () => count('inline fragments'),
  });
  return refusal;
}

/** One introspection of the schema is free; a hundred aliases of it would be the most expensive query of all. */
function isIntrospection(field: string): boolean {
  return field === '__schema' || field === '__type';
}

/**
 * Checks the depth of every operation and fragment; introspection doesn't count. A cycle of fragments counts as too
 * deep.
 */
function checkDepth(document: DocumentNode, fragments: Fragments): GraphQLError | undefined {
  const depths = new Map<string, number>();
  const depthOfFragment = (name: string): number => {
    let depth = depths.get(name);
    if (depth === undefined) {
      depths.set(name, Number.POSITIVE_INFINITY);
      depths.set(name, (depth = depthOf(fragments[name]?.selectionSet)));
    }
    return depth;
  };
  const depthOf = (set: SelectionSetNode | undefined): number => {
    let deepest = 0;
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FRAGMENT_SPREAD)
        deepest = Math.max(deepest, depthOfFragment(selection.name.value));
      else {
        const below = depthOf(selection.selectionSet);
        const isFree = selection.kind === Kind.INLINE_FRAGMENT;
        const isHidden =
          selection.kind === Kind.FIELD &&
          selection.name.value.startsWith('__') &&
          Number.isFinite(below);
        deepest = Math.max(deepest, isHidden ? 0 : below + (isFree ? 0 : 1));
      }
    }
    return deepest;
  };
  const tooDeep = document.definitions.some((definition) => {
    if (definition.kind === Kind.OPERATION_DEFINITION)
      return depthOf(definition.selectionSet) > limits.depth;
    if (definition.kind !== Kind.FRAGMENT_DEFINITION) return false;
    const depth = depthOfFragment(definition.name.value);
    return definition.typeCondition.name.value.startsWith('__')
      ? !Number.isFinite(depth)
      : depth > limits.depth;
  });
  return tooDeep ? tooMuch('depth', limits.depth) : undefined;
}

/**
 * Counts the fields at the root of each operation, those of fragments once for each place that spreads them. No
 * fragment is in a circle.
 */
function checkRootFields(document: DocumentNode, fragments: Fragments): GraphQLError | undefined {
  const counts = new Map<string, number>();
  const countOfFragment = (name: string): number => {
    let count = counts.get(name);
    if (count === undefined) counts.set(name, (count = countOf(fragments[name]?.selectionSet)));
    return count;
  };
  const countOf = (set: SelectionSetNode | undefined): number => {
    let sum = 0;
    for (const selection of set?.selections ?? [])
      if (selection.kind === Kind.FIELD) sum++;
      else if (selection.kind === Kind.INLINE_FRAGMENT) sum += countOf(selection.selectionSet);
      else sum += countOfFragment(selection.name.value);
    return sum;
  };
  const limit = limits['root fields'];
  return document.definitions.some(
    (definition) =>
      definition.kind === Kind.OPERATION_DEFINITION && countOf(definition.selectionSet) > limit,
  )
    ? tooMuch('root fields', limit)
    : undefined;
}

function tooMuch(what: string, limit: number): GraphQLError {
  return new GraphQLError(`The document exceeds the limit of ${limit} for ${what}`, {
    extensions: { code: 'DOCUMENT_TOO_LARGE' },
  });
}
