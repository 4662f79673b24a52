import type { Config } from '../core/context/config.ts';
import type { BlobStore } from '../core/context/storage.ts';
import { openFilesystemStore } from './filesystem.ts';

/**
 * Opens the configured storage. The S3 client is loaded only when needed, because it would slow down the start
 * noticeably.
 */
export async function createStorage(config: Config['storage']): Promise<BlobStore> {
  if (config.kind === 'filesystem') return openFilesystemStore(config.folder);
  const { openS3Store } = await import('./s3.ts');
  return openS3Store(config);
}
