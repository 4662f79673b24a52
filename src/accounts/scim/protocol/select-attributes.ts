import { canonicalName } from './attribute-path.ts';

/** Attributes that a request names: there may be thousands, and each is looked for in every part of a reply. */
export interface Named {
  names: ReadonlySet<string>;
  /** Those of which it names a part. */
  wholes: ReadonlySet<string>;
}

/** Which attributes a reply has, as `attributes` and `excludedAttributes` name them. */
export interface Selection {
  attributes?: Named | undefined;
  excludedAttributes?: Named | undefined;
}

/** Reads a comma list of attributes. */
export function readNames(list: string): Named {
  const names = list.split(',').map((name) => canonicalName(name.trim()));
  const parts = names.filter((name) => name.includes('.'));
  return { names: new Set(names), wholes: new Set(parts.map(wholeOf)) };
}

const ALWAYS = new Set(['schemas', 'id']);

const wholeOf = (path: string): string => path.slice(0, path.indexOf('.'));

/** Is the attribute wanted, or a part of it? */
export function isSelected(path: string, { attributes, excludedAttributes }: Selection): boolean {
  if (excludedAttributes?.names.has(path)) return false;
  if (attributes === undefined) return true;
  const { names, wholes } = attributes;
  return names.has(path) || wholes.has(path) || (path.includes('.') && names.has(wholeOf(path)));
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
