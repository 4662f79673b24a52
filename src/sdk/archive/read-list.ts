import type { FaultKind } from './archive-fault.ts';
import {
  isSigned,
  MANIFEST,
  readManifest,
  readSignature,
  SIGNATURE,
  type ArchiveManifest,
} from './archive-manifest.ts';
import { ArchiveError, type ArchiveSource } from './archive-source.ts';
import { readMemberBytes } from './zip-content.ts';
import { textOf, type ZipMember } from './zip-directory.ts';

/** Lists of more bytes are refused, because one is read as a whole; it is enough for a million files. */
const MOST_BYTES = 400 * 1024 * 1024;

/**
 * The list of an archive and who signed it; says what is wrong with the signature. Throws ArchiveError for an
 * unreadable list.
 */
export async function readList(
  source: ArchiveSource,
  members: ReadonlyMap<string, ZipMember>,
  publicKey: string | undefined,
  fault: (kind: FaultKind, path: string, message: string) => void,
): Promise<{ manifest: ArchiveManifest | undefined; signer: string | undefined }> {
  const [list, signed] = [members.get(MANIFEST), members.get(SIGNATURE)];
  if (!list) {
    fault('UNSIGNED', MANIFEST, 'the archive has no list of its files: nothing can be compared');
    return { manifest: undefined, signer: undefined };
  }
  const bytes = await readSmall(source, list);
  const manifest = readManifest(textOf(bytes));
  const signature = signed && readSignature(textOf(await readSmall(source, signed)));
  if (!signature) {
    fault('UNSIGNED', SIGNATURE, 'the list of files is not signed: anybody may have written it');
    return { manifest, signer: undefined };
  }
  if (!(await isSigned(bytes, signature)))
    fault('BAD_SIGNATURE', MANIFEST, 'the list of files was changed after it was signed');
  else if (publicKey !== undefined && signature.publicKey !== publicKey)
    fault('OTHER_SIGNER', SIGNATURE, `signed by ${signature.publicKey}, not by ${publicKey}`);
  else return { manifest, signer: signature.publicKey };
  return { manifest, signer: undefined };
}

async function readSmall(source: ArchiveSource, member: ZipMember): Promise<Uint8Array> {
  if (member.size > MOST_BYTES) throw new ArchiveError(`${member.name} is too large`);
  const bytes = new Uint8Array(member.size);
  let at = 0;
  try {
    for await (const piece of readMemberBytes(source, member)) {
      bytes.set(piece, at);
      at += piece.length;
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    throw new ArchiveError(`${member.name}: ${error.message}`, { cause: error });
  }
  return bytes;
}
