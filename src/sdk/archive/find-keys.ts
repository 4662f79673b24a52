import { isProven } from '../crypto/image-proof.ts';
import type { WorkspaceKey } from '../crypto/key.ts';
import type { ManifestFile } from './archive-manifest.ts';

/** Images of a number of key that are looked at before the number counts as unknown; more than one, as some may be altered. */
const LOOKED_AT = 3;

/**
 * Which of the given keys is meant by each number of the manifest: the one that made the proofs of its images. A number
 * without proofs gets the key that is left over, if it is one.
 */
export async function findKeys(
  workspaceId: string,
  files: readonly ManifestFile[],
  keys: readonly WorkspaceKey[],
  hashOf: (file: ManifestFile) => Promise<string | undefined>,
): Promise<Map<number, WorkspaceKey>> {
  const found = new Map<number, WorkspaceKey>();
  const looks = new Map<number, ManifestFile[]>();
  for (const file of files) {
    if (!file.encrypted) continue;
    const { key, proof } = file.encrypted;
    const looked = looks.get(key) ?? [];
    if (proof !== null && looked.length < LOOKED_AT) looked.push(file);
    looks.set(key, looked);
  }
  for (const [number, looked] of looks)
    for (const file of looked) {
      const key = await prover(workspaceId, file, keys, await hashOf(file));
      if (!key) continue;
      found.set(number, key);
      break;
    }
  const unproven = [...looks].flatMap(([number, looked]) => (looked.length === 0 ? number : []));
  const used = new Set(found.values());
  const left = keys.filter((key) => !used.has(key));
  const [number, key] = [unproven[0], left[0]];
  if (unproven.length === 1 && left.length === 1 && number !== undefined && key)
    found.set(number, key);
  return found;
}

async function prover(
  workspaceId: string,
  { encrypted }: ManifestFile,
  keys: readonly WorkspaceKey[],
  sha256: string | undefined,
): Promise<WorkspaceKey | undefined> {
  if (!encrypted?.proof || sha256 === undefined) return undefined;
  const { image: imageId, thumbnail: thumbnailSha256, proof } = encrypted;
  const image = { workspaceId, imageId, sha256, thumbnailSha256 };
  for (const key of keys) if (await isProven(key, image, proof)) return key;
  return undefined;
}
