import type { Database } from '../../../core/database/db.ts';
import { differences } from './frozen.sql.ts';
import { freezeNow, type Subject } from './freeze-items.ts';
import type { Change, FrozenTree } from './frozen-tree.ts';

/** Images whose differences are looked for at once, and that are read at once with their annotations. */
const LOOK = 20_000;
const BATCH = { images: 500, annotations: 4000 };

/** A tree that is to show what is there. */
export interface Growing {
  subject: Subject;
  tree: FrozenTree;
}

/**
 * Brings a tree up to date with what is there, up to 20,000 images at once; returns how many differed. `pause` is called
 * between batches.
 */
export async function catchUp(
  db: Pick<Database, 'rows'>,
  { subject, tree }: Growing,
  { limit = LOOK, pause }: { limit?: number; pause?: () => void } = {},
): Promise<number> {
  const found = await differences.rows(db, { ...subject, chunks: tree.chunks, limit });
  const changes = new Map<string, Change>(
    found.map(({ imageId, createdDate }) => [imageId, { imageId, createdDate, id: null }]),
  );
  let batch: string[] = [];
  let annotations = 0;
  const freeze = async (): Promise<void> => {
    pause?.();
    if (batch.length > 0)
      for (const item of await freezeNow(db, subject, batch)) changes.set(item.imageId, item);
    [batch, annotations] = [[], 0];
  };
  for (const one of found) {
    if (one.annotations < 0) continue;
    if (batch.length === BATCH.images || annotations + one.annotations > BATCH.annotations)
      await freeze();
    batch.push(one.imageId);
    annotations += one.annotations;
  }
  await freeze();
  if (changes.size > 0) await tree.change([...changes.values()], db);
  return found.length;
}
