import type { WorkspaceKey } from '../crypto/key.ts';
import { ArchiveFaultError, type ArchiveFault, type FaultKind } from './archive-fault.ts';
import {
  MANIFEST,
  SIGNATURE,
  type ArchiveManifest,
  type ManifestFile,
} from './archive-manifest.ts';
import { sourceOf, type ArchiveSource } from './archive-source.ts';
import { findKeys } from './find-keys.ts';
import { hashMember, readListed } from './read-listed.ts';
import { readList } from './read-list.ts';
import { readDirectory, type ZipMember } from './zip-directory.ts';

export interface OpenArchiveOptions {
  /**
   * The key that is to have signed, as GraphQL `Workspace.archivePublicKey` gives it. Without it, any signer will do:
   * see `signer`.
   */
  publicKey?: string | undefined;
  /** Keys of the workspace. Without any, images stay encrypted, and nobody checks who encrypted them. */
  keys?: readonly WorkspaceKey[];
}

/** A file of an archive. */
export interface ArchiveFile {
  /** In the archive. */
  path: string;
  /** Where it belongs when it is unpacked: without `.enc` if it is decrypted. */
  plainPath: string;
  size: number;
  /**
   * Its bytes, decrypted if a key was given, piece by piece. Whether they are right is known at their end: then it throws
   * ArchiveFaultError, and nothing of what came before may be used.
   */
  read(): AsyncIterable<Uint8Array>;
}

/** What was found in an archive. */
export interface ArchiveReport {
  files: number;
  bytes: number;
  /** None: every file is as it was exported, and no file is missing or too many. */
  faults: ArchiveFault[];
  /** Encrypted images without a proof: the signature covers them, but nobody can say whether the gateway exchanged them. */
  unproven: number;
}

/** An export whose list of files has been read. */
export interface OpenedArchive {
  /** Public key of who signed the list, base64; undefined where it is not signed. */
  readonly signer: string | undefined;
  readonly manifest: ArchiveManifest | undefined;
  /** The files on the list that are in the archive. */
  readonly files: readonly ArchiveFile[];
  /** What the lists alone show: of the signature, and files that were left out, added or are there twice. */
  readonly faults: readonly ArchiveFault[];
  /** Encrypted images without a proof. */
  readonly unproven: number;
  /** Reads everything. Memory stays flat, however long the archive is. */
  verify(onProgress?: (bytes: number) => void): Promise<ArchiveReport>;
}

/** Opens an export, a blob or what else can be read. Throws ArchiveError when it is no archive. */
export async function openArchive(
  archive: Blob | ArchiveSource,
  { publicKey, keys = [] }: OpenArchiveOptions = {},
): Promise<OpenedArchive> {
  const source = sourceOf(archive);
  const faults: ArchiveFault[] = [];
  const fault = (kind: FaultKind, path: string, message: string): void =>
    void faults.push({ kind, path, message });
  const members = new Map<string, ZipMember>();
  for (const member of await readDirectory(source)) {
    if (members.has(member.name))
      fault('DUPLICATE', member.name, 'the archive has several files of this name');
    else members.set(member.name, member);
  }
  const { manifest, signer } = await readList(source, members, publicKey, fault);
  const listed = new Map(manifest?.files.map((file) => [file.path, file]));
  const pathOf = new Map(manifest?.files.map(({ path, sha256 }) => [sha256, path]));
  const sizes = new Set(manifest?.files.map(({ size }) => size));
  /** With the places of their faults. */
  const added: { member: ZipMember; at: number }[] = [];
  for (const member of manifest ? members.values() : []) {
    if (listed.has(member.name) || member.name === MANIFEST || member.name === SIGNATURE) continue;
    added.push({ member, at: faults.length });
    fault('ADDED', member.name, 'it is not on the list');
  }
  const present: { file: ManifestFile; member: ZipMember }[] = [];
  for (const file of listed.values()) {
    const member = members.get(file.path);
    if (member) present.push({ file, member });
    else fault('LEFT_OUT', file.path, 'it is on the list, but not in the archive');
  }
  const hashOf = async ({ path }: ManifestFile): Promise<string | undefined> => {
    const member = members.get(path);
    return member && sizes.has(member.size) ? hashMember(source, member) : undefined;
  };
  const keyOf =
    manifest && keys.length > 0
      ? await findKeys(manifest.workspaceId, manifest.files, keys, hashOf)
      : undefined;
  const reading = { source, workspaceId: manifest?.workspaceId ?? '', pathOf, sizes, keyOf };
  const files = present.map(({ file, member }): ArchiveFile => ({
    path: file.path,
    plainPath: file.encrypted && keyOf ? file.path.replace(/\.enc$/, '') : file.path,
    size: file.size,
    read: () => readListed(reading, file, member),
  }));
  const unproven = present.filter(({ file }) => file.encrypted?.proof === null).length;
  return {
    signer,
    manifest,
    files,
    faults,
    unproven,
    async verify(onProgress) {
      const found = [...faults];
      let bytes = 0;
      for (const file of files) {
        try {
          for await (const piece of file.read()) {
            bytes += piece.length;
            onProgress?.(bytes);
          }
        } catch (error) {
          if (!(error instanceof ArchiveFaultError)) throw error;
          found.push(error.fault);
        }
      }
      for (const { member, at } of added) {
        if (!sizes.has(member.size)) continue;
        const contentOf = pathOf.get((await hashMember(source, member)) ?? '');
        if (contentOf === undefined) continue;
        const message = `it is not on the list; it has the bytes of ${contentOf}`;
        found[at] = { kind: 'ADDED', path: member.name, message, contentOf };
      }
      return { files: files.length, bytes, faults: found, unproven };
    },
  };
}
