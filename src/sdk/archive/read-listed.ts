import { CipherError, decryptPieces } from '../crypto/decrypt-stream.ts';
import { isProven } from '../crypto/image-proof.ts';
import type { WorkspaceKey } from '../crypto/key.ts';
import { ArchiveFaultError, type FaultKind } from './archive-fault.ts';
import type { ManifestFile } from './archive-manifest.ts';
import { ArchiveError, type ArchiveSource } from './archive-source.ts';
import { Sha256 } from './sha256.ts';
import { readMemberBytes } from './zip-content.ts';
import type { ZipMember } from './zip-directory.ts';

/** What is known of an archive when its files are read. */
export interface Reading {
  source: ArchiveSource;
  workspaceId: string;
  /** The path on the list by SHA-256. */
  pathOf: ReadonlyMap<string, string>;
  /** The sizes of the files on the list: what has another one is none of them, and is not read. */
  sizes: ReadonlySet<number>;
  /** The keys by their numbers; undefined where images are to stay encrypted. */
  keyOf: ReadonlyMap<number, WorkspaceKey> | undefined;
}

/**
 * The bytes of a file, decrypted if there are keys; at their end throws ArchiveFaultError where they are not what the
 * list says.
 */
export async function* readListed(
  { source, workspaceId, pathOf, sizes, keyOf }: Reading,
  { path, size, sha256, encrypted }: ManifestFile,
  member: ZipMember,
): AsyncGenerator<Uint8Array> {
  const refuse = (kind: FaultKind, message: string, contentOf?: string): never => {
    throw new ArchiveFaultError({
      kind,
      path,
      message,
      ...(contentOf !== undefined && { contentOf }),
    });
  };
  if (!sizes.has(member.size))
    return refuse('ALTERED', `it has ${member.size} bytes instead of ${size}`);
  const key = encrypted && keyOf?.get(encrypted.key);
  // Nothing is given out of what is found wrong in any case: it could be far more than was exported.
  const isClosed = member.size !== size || (encrypted !== undefined && keyOf !== undefined && !key);
  const hash = new Sha256();
  const bytes = hashed(readMemberBytes(source, member), hash);
  let undecrypted: string | undefined;
  try {
    for await (const piece of key ? decryptPieces(key, bytes) : bytes) if (!isClosed) yield piece;
  } catch (error) {
    if (error instanceof ArchiveError) return refuse('ALTERED', error.message);
    if (!(error instanceof CipherError)) throw error;
    undecrypted = error.message;
  }
  const found = hash.hex();
  if (found !== sha256) {
    const contentOf = pathOf.get(found);
    if (contentOf === undefined)
      return refuse('ALTERED', 'its bytes are not those that were exported');
    return refuse('SWAPPED', `it has the bytes of ${contentOf}`, contentOf);
  }
  if (!encrypted || keyOf === undefined) return;
  if (!key) return refuse('NO_KEY', `none of the given keys is its key, number ${encrypted.key}`);
  if (undecrypted !== undefined) return refuse('FORGED', undecrypted);
  const { image: imageId, thumbnail: thumbnailSha256, proof } = encrypted;
  const image = { workspaceId, imageId, sha256, thumbnailSha256 };
  if (proof !== null && !(await isProven(key, image, proof)))
    refuse('FORGED', 'no holder of the key put these bytes in its place');
}

async function* hashed(bytes: AsyncIterable<Uint8Array>, hash: Sha256): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    hash.update(piece);
    yield piece;
  }
}

/** The SHA-256 of a file of an archive; undefined where it can't be read. */
export async function hashMember(
  source: ArchiveSource,
  member: ZipMember,
): Promise<string | undefined> {
  const hash = new Sha256();
  try {
    for await (const piece of readMemberBytes(source, member)) hash.update(piece);
  } catch (error) {
    if (error instanceof ArchiveError) return undefined;
    throw error;
  }
  return hash.hex();
}
