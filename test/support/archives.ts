import { createHash, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { sourceOf } from '../../src/sdk/archive/archive-source.ts';
import { readMemberBytes } from '../../src/sdk/archive/zip-content.ts';
import { readDirectory } from '../../src/sdk/archive/zip-directory.ts';
import { openArchive, type OpenArchiveOptions } from '../../src/sdk/e2ee.ts';
import { makeZip, type HandMade } from './zip.ts';

/** The files of an archive, in its order. */
export async function unzip(archive: Buffer): Promise<HandMade[]> {
  const source = sourceOf(new Blob([Uint8Array.from(archive)]));
  const files: HandMade[] = [];
  for (const member of await readDirectory(source)) {
    const pieces: Uint8Array[] = [];
    for await (const piece of readMemberBytes(source, member)) pieces.push(piece);
    files.push({ name: member.name, bytes: Buffer.concat(pieces) });
  }
  return files;
}

/** What `openArchive` finds in these files: kind, path and the path to which the bytes belong. */
export async function faultsIn(
  files: readonly HandMade[],
  options: OpenArchiveOptions,
): Promise<(string | undefined)[][]> {
  const archive = await openArchive(new Blob([Uint8Array.from(makeZip(files))]), options);
  const { faults } = await archive.verify();
  return faults.map(({ kind, path, contentOf }) => [
    kind,
    path,
    ...(contentOf === undefined ? [] : [contentOf]),
  ]);
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Somebody with a signing key of their own. */
export function makeSigner(): { publicKey: string; sign(manifest: Uint8Array): Buffer } {
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicKey = createPublicKey(privateKey)
    .export({ format: 'der', type: 'spki' })
    .subarray(-32)
    .toString('base64');
  return {
    publicKey,
    sign(manifest) {
      const text = Buffer.from(`trivium manifest 1\n${sha256(manifest)}\n`);
      const signature = sign(null, text, privateKey).toString('base64');
      return Buffer.from(JSON.stringify({ publicKey, signature }));
    },
  };
}

/** A file of an archive to be signed; what its manifest says beyond path, size and hash. */
export type SignedFile = HandMade & { encrypted?: object };

/** Files with the signed list of them, as an export has it. */
export function signFiles(
  files: readonly SignedFile[],
  signer: ReturnType<typeof makeSigner>,
  workspaceId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
): HandMade[] {
  const list = files.map(({ name: path, bytes, encrypted }) => ({
    path,
    size: bytes.length,
    sha256: sha256(bytes),
    encrypted,
  }));
  const manifest = Buffer.from(
    JSON.stringify({ format: 'trivium-archive-1', workspaceId, files: list }),
  );
  const signature = { name: 'manifest.sig', bytes: signer.sign(manifest) };
  return [...files, { name: 'manifest.json', bytes: manifest }, signature];
}
