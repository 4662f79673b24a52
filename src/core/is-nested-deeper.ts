/**
 * Do objects and lists of a JSON value nest deeper than `limit`? Works without recursion: ten thousand levels would
 * overflow the stack.
 */
export function isNestedDeeper(value: unknown, limit: number): boolean {
  let level: object[] = isObject(value) ? [value] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    const below: object[] = [];
    for (const one of level)
      for (const child of Object.values(one)) if (isObject(child)) below.push(child);
    level = below;
  }
  return false;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
