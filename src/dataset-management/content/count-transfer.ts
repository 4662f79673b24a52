import type { SignedInContext } from '../../core/context/context.ts';
import { FewOfEach } from '../../core/turns/few-of-each.ts';

/**
 * What one user may have under way with one gateway at once, as messages call it. An archive that is made while it is
 * sent takes memory and disk for as long as it is read; a stored file, or one that arrives, takes a connection, an open
 * file and up to 1 MB.
 */
const kinds = {
  exports: { most: 10, what: 'downloading {count} exports' },
  downloads: { most: 200, what: 'downloading {count} files' },
  uploads: { most: 200, what: 'uploading {count} files' },
};

type Kind = keyof typeof kinds;

/** Those that are under way, by the storage of the gateway. */
const open = new WeakMap<SignedInContext['storage'], Map<Kind, FewOfEach>>();

/** Counts one more, and returns what counts it off, to be called once. Throws E902 where the user has too many. */
export function countTransfer(
  { storage, viewer: { userId } }: SignedInContext,
  kind: Kind,
): () => void {
  const ofStorage = open.get(storage) ?? new Map<Kind, FewOfEach>();
  open.set(storage, ofStorage);
  const { most, what } = kinds[kind];
  const few = ofStorage.get(kind) ?? new FewOfEach(most, what);
  ofStorage.set(kind, few);
  return few.take(userId);
}
