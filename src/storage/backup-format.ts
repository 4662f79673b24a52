import { z } from 'zod';

/** Name of the last entry of a backup: what is complete has it. */
export const MANIFEST = 'manifest.json';

/** What a backup holds: the files below `pg/` (the embedded database) and `blobs/` (the stored images), with their SHA-256. */
export const manifestSchema = z.object({
  format: z.literal(1),
  createdAt: z.string(),
  /** False when the images are on S3, and so not in the backup. */
  hasBlobs: z.boolean(),
  files: z.record(z.string(), z.object({ size: z.number(), sha256: z.string() })),
});

export type BackupManifest = z.infer<typeof manifestSchema>;

/** Where the two parts of the embedded store are. */
export interface StorePlaces {
  dataDir: string;
  /** Folder of the blob storage; undefined on S3. */
  blobs: string | undefined;
}

/** The file is no backup, or no whole one. */
export class DamagedBackupError extends Error {
  override name = 'DamagedBackupError';
}

/** The places do not allow it: nothing to back up, or something that would be overwritten. */
export class BackupPlaceError extends Error {
  override name = 'BackupPlaceError';
}
