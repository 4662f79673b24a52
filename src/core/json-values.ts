/** Is a JSON value an object? */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Do objects and lists of a JSON value nest deeper than `limit`? Works without recursion: ten thousand levels would
 * overflow the stack.
 */
export function isNestedDeeper(value: unknown, limit: number): boolean {
  let level: object[] = isObjectOrList(value) ? [value] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    const below: object[] = [];
    for (const one of level)
      for (const child of Object.values(one)) if (isObjectOrList(child)) below.push(child);
    level = below;
  }
  return false;
}

function isObjectOrList(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
