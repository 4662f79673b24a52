import type { BackupManifest } from '../../storage/backup-format.ts';

/** `1002 files (12 of images), 48.1 MB, of 2026-11-20T12:00:00.000Z`. */
export function describeBackup({ files, hasBlobs, createdAt }: BackupManifest): string {
  const names = Object.keys(files);
  const bytes = Object.values(files).reduce((sum, { size }) => sum + size, 0);
  const images = hasBlobs
    ? `${names.filter((name) => name.startsWith('blobs/')).length} of images`
    : 'images are on S3, and not in it';
  return `${names.length} files (${images}), ${(bytes / 1e6).toFixed(1)} MB, of ${createdAt}`;
}
