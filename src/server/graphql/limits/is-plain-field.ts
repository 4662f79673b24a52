import { Kind, type SelectionNode, type ValueNode } from 'graphql';

/** A field without a selection, and without a variable among its arguments. */
export function isPlainField(node: SelectionNode): boolean {
  const uses = (value: ValueNode): boolean =>
    value.kind === Kind.VARIABLE ||
    (value.kind === Kind.LIST && value.values.some(uses)) ||
    (value.kind === Kind.OBJECT && value.fields.some((field) => uses(field.value)));
  return (
    node.kind === Kind.FIELD &&
    !node.selectionSet &&
    !node.arguments?.some(({ value }) => uses(value))
  );
}
