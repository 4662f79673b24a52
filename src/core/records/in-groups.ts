/** To resolve more, or to make a statement of them, takes longer than other requests should wait. */
const MOST = 200;

/** Records, rows or conditions in groups that are worked on in one go. */
export function inGroups<T>(items: readonly T[]): T[][] {
  const groups: T[][] = [];
  for (let at = 0; at < items.length; at += MOST) groups.push(items.slice(at, at + MOST));
  return groups;
}
