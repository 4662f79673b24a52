import type { Services } from '../../../core/context/context.ts';
import { objectNames } from '../../content/content.sql.ts';

const BATCH = 500;

/**
 * Says what each object is of: images with their names and datasets, which share the object if their bytes are the
 * same, or an export.
 */
export async function nameObjects(
  { db }: Pick<Services, 'db'>,
  keys: readonly string[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (let at = 0; at < keys.length; at += BATCH) {
    const named = await objectNames.rows(db, { keys: keys.slice(at, at + BATCH) });
    for (const { storageKey, of } of named)
      found.set(storageKey, [...(found.get(storageKey) ?? []), of]);
  }
  return found;
}
