import { encryptUnder } from './cipher.ts';
import type { WorkspaceKey } from './key.ts';

/**
 * The checksum of a key for one workspace, as `enableEncryption` and `verifyWorkspaceKey` take it (F233): the base64 text of
 * SHA-256(zero vector ‖ AES-256-CBC(zero vector, workspace id as 32 lower-case hexadecimal digits)).
 */
export function checksum(key: WorkspaceKey, workspaceId: string): Promise<string> {
  return checksumOfText(key, digitsOf(workspaceId));
}

/**
 * The checksum under the other interpretation of the document, which keeps the hyphens of the id; workspaces of other
 * clients may have it (D-69).
 */
export function hyphenatedChecksum(key: WorkspaceKey, workspaceId: string): Promise<string> {
  return checksumOfText(
    key,
    digitsOf(workspaceId).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  );
}

function digitsOf(workspaceId: string): string {
  const digits = workspaceId.replaceAll('-', '').toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(digits)) throw new TypeError('a workspace id is a UUID');
  return digits;
}

async function checksumOfText(key: WorkspaceKey, text: string): Promise<string> {
  const encrypted = await encryptUnder(key, new TextEncoder().encode(text), new Uint8Array(16));
  const digest = await crypto.subtle.digest('SHA-256', encrypted);
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}
