import { ArchiveError } from './archive-source.ts';
import { Sha256 } from './sha256.ts';

/** The list of what is in an archive, and the signature of that list. */
export const MANIFEST = 'manifest.json';
export const SIGNATURE = 'manifest.sig';

/** A file of an archive as its manifest lists it. */
export interface ManifestFile {
  path: string;
  size: number;
  /** Hexadecimal. */
  sha256: string;
  /** Of the ciphertext of an image. */
  encrypted?: {
    image: string;
    /** Number of the workspace's key under which it is encrypted. */
    key: number;
    /** SHA-256 of the thumbnail's ciphertext, which the proof names. */
    thumbnail: string;
    /** Null for an image that was uploaded without one. */
    proof: string | null;
  };
}

/** `manifest.json` of an archive. */
export interface ArchiveManifest {
  format: 'trivium-archive-1';
  workspaceId: string;
  projectId: string;
  exportedAt: string;
  files: ManifestFile[];
}

/** `manifest.sig` of an archive. */
export interface ManifestSignature {
  /** Ed25519, base64 of 32 bytes. */
  publicKey: string;
  /** Base64 of 64 bytes. */
  signature: string;
}

/** Reads the text of a manifest. Throws ArchiveError where it is none. */
export function readManifest(text: string): ArchiveManifest {
  const value: unknown = parse(text);
  if (isManifest(value)) return value;
  throw new ArchiveError(`${MANIFEST} is no manifest of an archive`);
}

/** Reads the text of a signature; undefined where it is none. */
export function readSignature(text: string): ManifestSignature | undefined {
  const value: unknown = parse(text);
  return isRecord(value) &&
    typeof value.publicKey === 'string' &&
    typeof value.signature === 'string'
    ? { publicKey: value.publicKey, signature: value.signature }
    : undefined;
}

/** Whether the signature is that of these bytes of a manifest by the key that it names. */
export async function isSigned(
  manifest: Uint8Array,
  { publicKey, signature }: ManifestSignature,
): Promise<boolean> {
  const [key, given] = [bytesOf(publicKey, 32), bytesOf(signature, 64)];
  if (!key || !given) return false;
  const verifier = await crypto.subtle.importKey('raw', key, 'Ed25519', false, ['verify']);
  const text = `trivium manifest 1\n${new Sha256().update(manifest).hex()}\n`;
  return crypto.subtle.verify('Ed25519', verifier, given, new TextEncoder().encode(text));
}

function bytesOf(base64: string, length: number): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) return undefined;
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return bytes.length === length ? bytes : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function isManifest(value: unknown): value is ArchiveManifest {
  return (
    isRecord(value) &&
    value.format === 'trivium-archive-1' &&
    typeof value.workspaceId === 'string' &&
    Array.isArray(value.files) &&
    value.files.every(isFile)
  );
}

function isFile(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { path, size, sha256, encrypted } = value;
  return (
    typeof path === 'string' &&
    typeof size === 'number' &&
    typeof sha256 === 'string' &&
    (encrypted === undefined ||
      (isRecord(encrypted) &&
        typeof encrypted.image === 'string' &&
        typeof encrypted.key === 'number' &&
        typeof encrypted.thumbnail === 'string' &&
        (encrypted.proof === null || typeof encrypted.proof === 'string')))
  );
}
