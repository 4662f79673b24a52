import type { Config } from '../../core/context/config.ts';
import type { StorePlaces } from '../../storage/backup-format.ts';
import { UsageError } from '../support/usage-error.ts';

/** The folders of the embedded database and its images. Throws UsageError when the environment names a server. */
export function embeddedPlaces({ database, storage }: Config): StorePlaces {
  if (database.kind !== 'embedded')
    throw new UsageError(
      'DATABASE_URL is set: back a server up with pg_dump, restore it with pg_restore (docs/operations.md)',
    );
  return {
    dataDir: database.dataDir,
    blobs: storage.kind === 'filesystem' ? storage.folder : undefined,
  };
}
