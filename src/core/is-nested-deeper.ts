/** Do objects and lists of a JSON value nest deeper than `limit`? Looks without recursion: what is nested ten thousand deep would end the stack of whoever recurses. */
export function isNestedDeeper(value: unknown, limit: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one as Record<string, unknown>) : []).filter((child) => typeof child === 'object' && child !== null));
  }
  return false;
}
