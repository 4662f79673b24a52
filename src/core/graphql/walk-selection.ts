import {
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** Fragments by their names. */
export type Fragments = GraphQLResolveInfo['fragments'];

/** The fragments that a document defines. It may not be validated yet. */
export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  // Without a prototype: a document may spread `constructor` without defining it.
  const fragments = Object.create(null) as Record<string, FragmentDefinitionNode>;
  for (const definition of definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
  return fragments;
}

/**
 * Everything selected on one level, in document order: every field, and every fragment before its own selections. Each
 * named fragment is visited once, because fragments that refer to each other would never end. Callers handle type
 * conditions and directives.
 */
export function walkSelection(
  sets: readonly SelectionSetNode[],
  fragments: Fragments,
): SelectionNode[] {
  const found: SelectionNode[] = [];
  const seen = new Set<string>();
  const walk = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      found.push(selection);
      if (selection.kind === Kind.INLINE_FRAGMENT) walk(selection.selectionSet);
      if (selection.kind !== Kind.FRAGMENT_SPREAD || seen.has(selection.name.value)) continue;
      seen.add(selection.name.value);
      const fragment = fragments[selection.name.value];
      if (fragment) walk(fragment.selectionSet);
    }
  };
  sets.forEach(walk);
  return found;
}

/** Only the fields of walkSelection. */
export function walkFields(sets: readonly SelectionSetNode[], fragments: Fragments): FieldNode[] {
  return walkSelection(sets, fragments).filter((selection) => selection.kind === Kind.FIELD);
}

/** A field of a response: its response key, its name, and everything selected below it anywhere in the document. */
export interface SelectedField {
  key: string;
  name: string;
  below: SelectionSetNode[];
}

/** The fields of a response, in response order; a field that is selected several times appears once. */
export function mergeFields(
  sets: readonly SelectionSetNode[],
  fragments: Fragments,
): SelectedField[] {
  const found = new Map<string, SelectedField>();
  for (const { alias, name, selectionSet } of walkFields(sets, fragments)) {
    const key = alias?.value ?? name.value;
    const field = found.get(key) ?? { key, name: name.value, below: [] };
    if (selectionSet) field.below.push(selectionSet);
    found.set(key, field);
  }
  return [...found.values()];
}
