import { randomBytes } from 'node:crypto';

const ID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const OWN = new RegExp(
  `^(${ID}/[0-9a-f]{2}/[0-9a-f]{64}-[0-9a-f]{12}|exports/${ID}(-\\d+)?|imports/${ID})$`,
);

/** The key of bytes that are put into the storage: a new one each time, so that removing an object never hits another one. */
export function keyOfBytes(workspaceId: string, sha256: string): string {
  return `${workspaceId}/${sha256.slice(0, 2)}/${sha256}-${randomBytes(6).toString('hex')}`;
}

/** The key of the archive that an attempt of an export job makes. */
export function keyOfExport(id: string, attempt: number): string {
  return attempt === 1 ? `exports/${id}` : `exports/${id}-${attempt}`;
}

/** The key of the file of an import of annotations. */
export function keyOfImport(id: string): string {
  return `imports/${id}`;
}

/** Is it one of these? The folder or bucket may hold files of others, which are theirs to remove. */
export function isOwnKey(key: string): boolean {
  return OWN.test(key);
}
