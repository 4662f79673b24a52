import { Kind, type SelectionNode, type ValueNode } from 'graphql';

/** A field without a selection, and without a variable among its arguments. */
export function isPlainField(node: SelectionNode): boolean {
  return (
    node.kind === Kind.FIELD &&
    !node.selectionSet &&
    !node.arguments?.some(({ value }) => usesVariables(value))
  );
}

/** Is a variable the value, or a part of it? */
export function usesVariables(value: ValueNode): boolean {
  return (
    value.kind === Kind.VARIABLE ||
    (value.kind === Kind.LIST && value.values.some(usesVariables)) ||
    (value.kind === Kind.OBJECT && value.fields.some((field) => usesVariables(field.value)))
  );
}
