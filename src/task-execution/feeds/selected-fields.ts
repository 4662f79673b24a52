import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import { walkFields } from '../../core/graphql/walk-selection.ts';

type Selection = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

/** Results per field node. A node belongs to one parsed document, which is shared by all requests that send it. */
const found = new WeakMap<FieldNode, Map<string, ReadonlySet<string>>>();

/**
 * Names of the fields that a query selects at the end of a path below the current field. Fragments are included
 * whatever their type condition or directives, so the result is never too small. Costs one walk over the selection per
 * document.
 */
export function selectedFields(info: Selection, path: readonly string[]): ReadonlySet<string> {
  const [node] = info.fieldNodes;
  if (!node || info.fieldNodes.length > 1) return walk(info, path);
  const known = found.get(node) ?? new Map<string, ReadonlySet<string>>();
  found.set(node, known);
  const key = path.join('.');
  const names = known.get(key) ?? walk(info, path);
  known.set(key, names);
  return names;
}

function walk({ fieldNodes, fragments }: Selection, path: readonly string[]): Set<string> {
  let level = fieldNodes;
  const below = (): readonly FieldNode[] =>
    walkFields(
      level.flatMap(({ selectionSet }) => selectionSet ?? []),
      fragments,
    );
  for (const wanted of path) level = below().filter(({ name }) => name.value === wanted);
  return new Set(below().map(({ name }) => name.value));
}
