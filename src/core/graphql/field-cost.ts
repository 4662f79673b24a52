/** The cost of a field beyond the general rule (D-80): 1 for an object, page size × rows for a connection. */
export interface FieldCost {
  /** Cost of evaluating the field, as a number of objects. */
  weight?: number;
  /** Cost of a list without a page size: the number of objects in its longest answer. */
  rows?: number;
  /** The argument, of this field or the one above, whose length is the length of the list: `ids`, `input.feedIds`. */
  rowsOf?: string;
}

/** Declares the cost of a field; use it as its `extensions`. */
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
