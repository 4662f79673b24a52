import { canonicalName } from './attribute-path.ts';

/** Which attributes a reply has, as `attributes` and `excludedAttributes` name them. */
export interface Selection {
  attributes?: readonly string[] | undefined;
  excludedAttributes?: readonly string[] | undefined;
}

const ALWAYS = new Set(['schemas', 'id']);

/** Is the attribute wanted, or a part of it? */
export function isSelected(path: string, { attributes, excludedAttributes }: Selection): boolean {
  if (excludedAttributes?.includes(path)) return false;
  return (
    attributes === undefined ||
    attributes.some(
      (one) => one === path || path.startsWith(`${one}.`) || one.startsWith(`${path}.`),
    )
  );
}

/** The resource with the wanted attributes only; `id` and `schemas` stay. */
export function selectAttributes(
  resource: Readonly<Record<string, unknown>>,
  selection: Selection,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(resource).flatMap(([name, value]) => {
      const path = canonicalName(name);
      if (ALWAYS.has(path)) return [[name, value]];
      return isSelected(path, selection) ? [[name, partsOf(value, path, selection)]] : [];
    }),
  );
}

function partsOf(value: unknown, path: string, selection: Selection): unknown {
  if (Array.isArray(value)) return value.map((one) => partsOf(one, path, selection));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([name]) =>
      isSelected(`${path}.${name.toLowerCase()}`, selection),
    ),
  );
}
