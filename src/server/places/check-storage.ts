import type { Services } from '../../core/context/context.ts';
import { StorageMissingError } from '../../core/context/storage.ts';
import { checkWritable } from '../../storage/check-writable.ts';

/**
 * Throws StorageMissingError for a bucket that does not exist. What may change is a warning: it can't be reached, or
 * nothing be written.
 */
export async function checkStorage({ config, storage, log }: Services): Promise<void> {
  await storage.check().catch((error: unknown) => {
    if (error instanceof StorageMissingError) throw error;
    log.warn({ err: error }, 'the storage does not answer');
  });
  await checkWritable(config.storage).catch((error: unknown) =>
    log.warn({ err: error }, 'uploads will fail: their files can not be written'),
  );
}
