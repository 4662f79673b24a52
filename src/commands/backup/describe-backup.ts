import type { BackupManifest } from '../../storage/backup-format.ts';

export interface BackupSummary {
  createdAt: string;
  files: number;
  /** Null: the images are on S3, and not in it. */
  images: number | null;
  bytes: number;
}

export function summariseBackup({ files, hasBlobs, createdAt }: BackupManifest): BackupSummary {
  const names = Object.keys(files);
  return {
    createdAt,
    files: names.length,
    images: hasBlobs ? names.filter((name) => name.startsWith('blobs/')).length : null,
    bytes: Object.values(files).reduce((sum, { size }) => sum + size, 0),
  };
}

/** `1002 files (12 of images), 48.1 MB, of 2026-11-20T12:00:00.000Z`. */
export function describeBackup({ files, images, bytes, createdAt }: BackupSummary): string {
  const blobs = images === null ? 'images are on S3, and not in it' : `${images} of images`;
  return `${files} files (${blobs}), ${(bytes / 1e6).toFixed(1)} MB, of ${createdAt}`;
}
