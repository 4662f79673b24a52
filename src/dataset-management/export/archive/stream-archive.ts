import { Readable } from 'node:stream';
import type { SignedInContext } from '../../../core/context/context.ts';
import { FewOfEach } from '../../../core/turns/few-of-each.ts';

/** Archives that one user may be sent by one gateway at once: each takes memory and disk for as long as it is read. */
const MOST_OF_USER = 10;

/** Those that are being sent, by the storage of the gateway. */
const open = new WeakMap<SignedInContext['storage'], FewOfEach>();

/**
 * An archive as a stream; it counts until it is closed, also if nobody ever reads it. Throws E902 where the user has
 * too many.
 */
export function streamArchive(
  { storage, viewer: { userId } }: SignedInContext,
  bytes: AsyncGenerator<Uint8Array>,
): Readable {
  const sent = open.get(storage) ?? new FewOfEach(MOST_OF_USER, 'downloading {count} exports');
  open.set(storage, sent);
  return Readable.from(bytes, { objectMode: false }).once('close', sent.take(userId));
}
