import { Readable } from 'node:stream';
import type { SignedInContext } from '../../../core/context/context.ts';
import { AppError } from '../../../core/errors.ts';

/** Archives that one user may be sent by one gateway at once: each takes memory and disk for as long as it is read. */
const MOST_OF_USER = 10;
const RETRY_SECONDS = 10;

/** How many each user is being sent, by the storage of the gateway. */
const open = new WeakMap<SignedInContext['storage'], Map<number, number>>();

/** An archive as a stream; it counts until it is closed, also if nobody ever reads it. Throws E902 where the user has too many. */
export function streamArchive(
  { storage, viewer: { userId } }: SignedInContext,
  bytes: AsyncGenerator<Uint8Array>,
): Readable {
  const counts = open.get(storage) ?? new Map<number, number>();
  open.set(storage, counts);
  const count = counts.get(userId) ?? 0;
  if (count >= MOST_OF_USER)
    throw new AppError('E902', {
      message: `You are downloading ${count} exports: wait for one, then try again in ${RETRY_SECONDS} s`,
      headers: { 'retry-after': String(RETRY_SECONDS) },
    });
  counts.set(userId, count + 1);
  return Readable.from(bytes, { objectMode: false }).once('close', () => {
    const left = (counts.get(userId) ?? 0) - 1;
    if (left > 0) counts.set(userId, left);
    else counts.delete(userId);
  });
}
