import type { Filter } from '../protocol/parse-filter.ts';

/** Does a filter of addresses, as a path of PATCH holds it, mean the one that is kept: for work, the primary one? */
export function isKept(which: Filter, email: string | null): boolean {
  if ('all' in which) return which.all.every((one) => isKept(one, email));
  if ('any' in which) return which.any.some((one) => isKept(one, email));
  const kept = new Map([
    ['emails.type', 'work'],
    ['emails.primary', 'true'],
    ['emails.value', email?.toLowerCase()],
  ]).get(which.path);
  if (kept === undefined) return false;
  const text = String(which.value).toLowerCase();
  if (which.op === 'eq') return kept === text;
  if (which.op === 'co') return kept.includes(text);
  if (which.op === 'sw') return kept.startsWith(text);
  return which.op === 'pr' || kept.endsWith(text);
}
