/** Statements of more rows take longer to be made than other requests should wait. */
const MOST = 200;

/** Rows, or conditions, in groups that fit into a statement. */
export function inGroups<T>(items: readonly T[]): T[][] {
  const groups: T[][] = [];
  for (let at = 0; at < items.length; at += MOST) groups.push(items.slice(at, at + MOST));
  return groups;
}
