/** What a field of the schema costs beyond the rule for all (D-80): one for an object, page size × rows for a connection. */
export interface FieldCost {
  /** What is evaluated whenever the field is asked for, in objects. */
  weight?: number;
  /** What a list without a page size is charged for: as many objects as its longest answer is worth. */
  rows?: number;
  /** The argument whose length is the length of the list, in this field or in the one above: `ids`, `input.feedIds`. */
  rowsOf?: string;
}

/** Declares the cost of a field, as its `extensions`. */
export function costs(cost: FieldCost): { cost: FieldCost } {
  return { cost };
}

/** The declared cost of a field. */
export function costOfField({
  extensions,
}: {
  extensions: { readonly cost?: unknown };
}): FieldCost {
  return isFieldCost(extensions.cost) ? extensions.cost : {};
}

function isFieldCost(value: unknown): value is FieldCost {
  return typeof value === 'object' && value !== null;
}
