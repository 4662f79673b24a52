import {
  Kind,
  type DocumentNode,
  type FieldNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/**
 * Names a validated GraphQL operation by its kind and what it asks for at the root: `mutation setFeedState`, `query viewer.feeds`, `query several`. The names are those of
 * the schema, so that logs and metrics stay bounded whatever clients call their operations.
 */
export function nameOperation(document: DocumentNode, operation: OperationDefinitionNode): string {
  const [root, ...others] = fieldsOf(document, operation.selectionSet);
  if (!root || others.length > 0)
    return `${operation.operation} ${root ? 'several' : '__typename'}`;
  const name = root.name.value;
  const [below, ...more] =
    name === 'viewer' && root.selectionSet ? fieldsOf(document, root.selectionSet) : [];
  return `${operation.operation} ${name}${below && more.length === 0 ? `.${below.name.value}` : ''}`;
}

/** The fields of a selection but `__typename`, one for each name, those of fragments included. Looks into each fragment once: fragments that double would take for ever. */
function fieldsOf(document: DocumentNode, set: SelectionSetNode): FieldNode[] {
  const fields = new Map<string, FieldNode>();
  const seen = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        if (selection.name.value !== '__typename') fields.set(selection.name.value, selection);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet);
      } else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        const fragment = document.definitions.find(
          (one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === selection.name.value,
        );
        if (fragment?.kind === Kind.FRAGMENT_DEFINITION) collect(fragment.selectionSet);
      }
    }
  };
  collect(set);
  return [...fields.values()];
}
