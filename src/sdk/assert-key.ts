import { checksum, hyphenatedChecksum } from './crypto/checksum.ts';
import type { WorkspaceKey } from './crypto/key.ts';

/** The key does not belong to the workspace. */
export class WrongKeyError extends Error {
  override name = 'WrongKeyError';

  constructor(message = 'this key does not belong to the workspace') {
    super(message);
  }
}

/** Asks the gateway whether a checksum is the one it stores; the key itself is never sent. */
export type VerifyChecksum = (checksum: string) => Promise<'MATCH' | 'MISMATCH'>;

/** Throws WrongKeyError unless the workspace was encrypted with this key, in either form of its checksum. */
export async function assertKey(
  key: WorkspaceKey,
  workspaceId: string,
  verify: VerifyChecksum,
): Promise<void> {
  if ((await verify(await checksum(key, workspaceId))) === 'MATCH') return;
  if ((await verify(await hyphenatedChecksum(key, workspaceId))) === 'MATCH') return;
  throw new WrongKeyError();
}
