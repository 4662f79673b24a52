import type { Services } from '../core/context/context.ts';
import type { Database } from '../core/database/db.ts';
import { isForeignFile, tableOfFile } from '../core/database/copy/foreign-rows.ts';
import { isBlobKey } from '../core/context/storage.ts';
import { contentOf, DamagedDomainFileError } from './archive/domain-file.ts';
import { refused } from './find-domain.ts';
import type { TarEntry } from './archive/tar-reader.ts';

/**
 * Stores a file of an export under its key, unless it is there, as its key says; returns whether it was stored. Throws
 * DamagedDomainFileError, and E900 where it is a file of another domain.
 */
export async function storeFile(
  { storage, db }: Pick<Services, 'storage'> & { db: Pick<Database, 'rows'> },
  entry: TarEntry,
  { key, domainId }: { key: string; domainId: number },
): Promise<boolean> {
  if (!isBlobKey(key) || !tableOfFile(key))
    throw new DamagedDomainFileError(`it has a file of an unusable name ${key}`);
  if (await isForeignFile(db, { key, domainId }))
    throw refused(`its file ${key} is one of another domain here`);
  const expected = contentOf(key);
  if (expected !== undefined && (await storage.stat(key))?.size === entry.size) return false;
  const staged = await storage.stage(entry.bytes());
  try {
    if (staged.size !== entry.size || (expected !== undefined && staged.sha256 !== expected))
      throw new DamagedDomainFileError(`its file ${key} is damaged`);
    await storage.put(staged, key);
    return true;
  } finally {
    await staged.discard();
  }
}
