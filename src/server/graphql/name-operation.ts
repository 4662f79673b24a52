import type { DocumentNode, FieldNode, OperationDefinitionNode, SelectionSetNode } from 'graphql';
import { fragmentsOf, walkFields } from '../../core/graphql/walk-selection.ts';

/**
 * Names a validated GraphQL operation by its kind and its root field: `mutation setFeedState`, `query viewer.feeds`,
 * `query several`. The names come from the schema, so that logs and metrics stay bounded whatever clients call their
 * operations.
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

/** The fields of a selection except `__typename`, including those of fragments, each name once. */
function fieldsOf(document: DocumentNode, set: SelectionSetNode): FieldNode[] {
  const fields = walkFields([set], fragmentsOf(document)).filter(
    ({ name }) => name.value !== '__typename',
  );
  return [...new Map(fields.map((field) => [field.name.value, field])).values()];
}
