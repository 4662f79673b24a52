import { isStorable } from '../../../core/text.ts';
import type { Filter, Operator, Term } from './parse-filter.ts';
import { scimError } from './scim-error.ts';

/** The condition of Prisma for a comparison of an attribute, by its canonical name; undefined for unknown ones. */
export type Conditions<Where> = (path: string) => ((term: Term) => Where) | undefined;

/** Conditions, joined as the comparisons of the filter are. */
export type Joined<Where> = Where | { AND: Joined<Where>[] } | { OR: Joined<Where>[] };

/** The condition of a filter. Throws invalidFilter for attributes that can't be compared. */
export function conditionOf<Where extends object>(
  filter: Filter,
  conditions: Conditions<Where>,
): Joined<Where> {
  if ('all' in filter) return { AND: filter.all.map((one) => conditionOf(one, conditions)) };
  if ('any' in filter) return { OR: filter.any.map((one) => conditionOf(one, conditions)) };
  const condition = conditions(filter.path);
  if (!condition)
    throw scimError('INVALID_FILTER', 'filter names an attribute that can not be compared');
  return condition(filter);
}

/** The text of a comparison. Throws invalidFilter for a flag, and for text that no database holds. */
export function textOf({ value }: Term): string {
  if (typeof value === 'string' && isStorable(value)) return value;
  throw scimError('INVALID_FILTER', 'filter compares this attribute with a text');
}

/** The flag of a comparison by `eq`: true, false, or the same as a text. */
export function flagOf({ op, value }: Term): boolean {
  const text = String(value).toLowerCase();
  if (op === 'eq' && (text === 'true' || text === 'false')) return text === 'true';
  throw scimError('INVALID_FILTER', 'filter compares this attribute with true or false, by eq');
}

const words = { eq: 'equals', co: 'contains', sw: 'startsWith', ew: 'endsWith' } as const;

interface TextCondition {
  equals?: string;
  contains?: string;
  startsWith?: string;
  endsWith?: string;
  mode?: 'insensitive';
}

/** A comparison of a column by an operator other than `pr`; `anyCase` for a column that keeps the case. */
export function textCondition(
  op: Exclude<Operator, 'pr'>,
  text: string,
  anyCase = false,
): TextCondition {
  if (op === 'eq' && !anyCase) return { equals: text };
  return {
    [words[op]]: text.replaceAll(/[\\%_]/g, '\\$&'),
    ...(anyCase && { mode: 'insensitive' }),
  };
}
