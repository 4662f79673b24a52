import type { Services } from '../../../core/context/context.ts';

const BATCH = 500;

/** Says what each object is of: images with their names and datasets, which share the object if their bytes are the same, or an export. */
export async function nameObjects(
  { db }: Pick<Services, 'db'>,
  keys: readonly string[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (let at = 0; at < keys.length; at += BATCH) {
    const rows = await db.rows(
      `SELECT b.storage_key, 'image ' || i.id || ' ' || to_json(i.name) || ' of dataset ' || i.dataset_id || CASE WHEN i.deleted_at IS NULL THEN '' ELSE ' (deleted)' END AS of
       FROM blob b JOIN image i ON i.blob_id = b.id WHERE b.storage_key = ANY ($1::text[])
       UNION ALL SELECT b.storage_key, 'thumbnail of image ' || i.id || ' ' || to_json(i.name) || ' of dataset ' || i.dataset_id || CASE WHEN i.deleted_at IS NULL THEN '' ELSE ' (deleted)' END
       FROM blob b JOIN image i ON i.thumb_blob_id = b.id WHERE b.storage_key = ANY ($1::text[])
       UNION ALL SELECT storage_key, 'export ' || id FROM export_job WHERE storage_key = ANY ($1::text[])
       ORDER BY of`,
      [keys.slice(at, at + BATCH)],
    );
    for (const [key = '', of = ''] of rows) {
      if (key === null || of === null) continue;
      found.set(key, [...(found.get(key) ?? []), of]);
    }
  }
  return found;
}
