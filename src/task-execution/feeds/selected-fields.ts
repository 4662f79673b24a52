import { Kind, type FieldNode, type GraphQLResolveInfo, type SelectionSetNode } from 'graphql';

type Selection = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

/** What was found below a field node. A node belongs to one parsed document, which is kept for all requests that send it. */
const found = new WeakMap<FieldNode, Map<string, ReadonlySet<string>>>();

/**
 * Names of the fields that a query selects at the end of a path below the current field, fragments included, whatever their type
 * condition or directives: never fewer than will be resolved. Costs one walk over the selection, once for a document.
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

function walk(info: Selection, path: readonly string[]): Set<string> {
  let level = info.fieldNodes.flatMap((field) => field.selectionSet ?? []);
  for (const name of path)
    level = level.flatMap((set) =>
      fieldsOf(set, info, new Set()).flatMap((field) =>
        field.name === name ? (field.below ?? []) : [],
      ),
    );
  return new Set(level.flatMap((set) => fieldsOf(set, info, new Set()).map((field) => field.name)));
}

function fieldsOf(
  set: SelectionSetNode,
  info: Pick<Selection, 'fragments'>,
  seen: Set<string>,
): { name: string; below: SelectionSetNode | undefined }[] {
  return set.selections.flatMap((selection) => {
    switch (selection.kind) {
      case Kind.FIELD:
        return [{ name: selection.name.value, below: selection.selectionSet }];
      case Kind.INLINE_FRAGMENT:
        return fieldsOf(selection.selectionSet, info, seen);
      case Kind.FRAGMENT_SPREAD: {
        const fragment = info.fragments[selection.name.value];
        if (!fragment || seen.has(selection.name.value)) return [];
        seen.add(selection.name.value);
        return fieldsOf(fragment.selectionSet, info, seen);
      }
    }
  });
}
