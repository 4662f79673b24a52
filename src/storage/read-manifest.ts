import { type BackupManifest, DamagedBackupError, manifestSchema } from './backup-format.ts';

/** Longest manifest that is read, in bytes: some millions of files. */
const MAX_MANIFEST = 512 * 1024 * 1024;

/** Reads the manifest of a backup. Throws DamagedBackupError when it is too long, of another version, or none. */
export async function readManifest(body: AsyncIterable<Uint8Array>): Promise<BackupManifest> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > MAX_MANIFEST) throw new DamagedBackupError('its manifest is too long');
    chunks.push(chunk);
  }
  const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  const { success, data } = manifestSchema.safeParse(value);
  if (success) return data;
  const format = value instanceof Object && 'format' in value ? value.format : undefined;
  throw new DamagedBackupError(
    typeof format === 'number' && format !== 1
      ? `it is of format ${format}, which this version does not know; use the version that made it`
      : 'its manifest is none',
  );
}
