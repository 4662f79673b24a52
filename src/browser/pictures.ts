import { WrongKeyError } from '../sdk/assert-key.ts';
import { importKey, type WorkspaceKey } from '../sdk/crypto/key.ts';
import { openWorkspace, type OpenedWorkspace } from '../sdk/workspace.ts';
import { fetchFile } from './page/ask.ts';
import type { ImageRow, WorkspaceRow } from './page/documents.ts';
import { basePath, sessionToken } from './page/session.ts';

/** Encrypted workspaces whose key the reader has given, by id: in memory, until the page or the session ends. */
const opened = new Map<string, OpenedWorkspace & { keys: readonly WorkspaceKey[] }>();

/** Can images of the workspace be shown? */
export function isOpen(workspace: WorkspaceRow): boolean {
  return !workspace.encrypted || opened.has(workspace.uuid);
}

/**
 * Opens an encrypted workspace for this page; with another key also one that is open, because it has two while it changes
 * its key. Throws TypeError for no key, WrongKeyError, GatewayError.
 */
export async function open(workspace: WorkspaceRow, key: Uint8Array | string): Promise<void> {
  const gateway = {
    baseUrl: location.origin + basePath,
    // That of now: who signs in again goes on.
    get token() {
      return sessionToken();
    },
  };
  const openWith = async (keys: readonly WorkspaceKey[]): Promise<void> => {
    const found = await openWorkspace(gateway, workspace.uuid, keys);
    opened.set(workspace.uuid, { ...found, keys });
  };
  const given = await importKey(key);
  const before = opened.get(workspace.uuid)?.keys ?? [];
  await openWith([given, ...before]).catch((error: unknown) => {
    // Those of before may be valid no more.
    if (before.length === 0 || !(error instanceof WrongKeyError)) throw error;
    return openWith([given]);
  });
}

/** Forgets all keys. */
export function forgetKeys(): void {
  opened.clear();
}

/** The bytes of a thumbnail, decrypted. */
export async function thumbnailOf(
  image: ImageRow,
  workspace: WorkspaceRow,
  signal: AbortSignal,
): Promise<Blob> {
  const keyed = opened.get(workspace.uuid);
  return keyed
    ? new Blob([await keyed.downloadThumbnail(image.uuid)])
    : fetchFile(image.thumbnailUrl, signal);
}

/** The bytes of an image, decrypted. */
export async function originalOf(
  image: ImageRow & { downloadUrl: string },
  workspace: WorkspaceRow,
  signal: AbortSignal,
): Promise<Blob> {
  const keyed = opened.get(workspace.uuid);
  return keyed
    ? new Blob([await keyed.download(image.uuid)])
    : fetchFile(image.downloadUrl, signal);
}

/** Shows bytes in an element; false if the browser can't draw them. */
export async function showIn(shown: HTMLImageElement, bytes: Blob): Promise<boolean> {
  const url = URL.createObjectURL(bytes);
  try {
    shown.src = url;
    await shown.decode();
    return true;
  } catch {
    return false;
  } finally {
    URL.revokeObjectURL(url);
  }
}
