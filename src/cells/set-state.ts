import type { Database } from '../core/database/db.ts';
import { waitForWrites } from '../core/database/copy/wait-for-writes.ts';
import { refused, type DomainState, type FoundDomain } from './find-domain.ts';

/** Longest wait for writes that have begun, in milliseconds. */
const LONGEST = 8_000;

/**
 * Lets a domain refuse writes from now on, and waits for those that began before: what is committed then is all that was
 * acknowledged. Throws E900 where they take longer, and leaves the domain as it was; or where another command changes its state.
 */
export async function closeDomain(
  db: Database,
  { id, name, state: found }: Pick<FoundDomain, 'id' | 'name' | 'state'>,
  state: DomainState,
): Promise<void> {
  const { domain } = db.prisma;
  const busy = refused(
    `another command is changing the domain "${name}": try again when it has ended`,
  );
  const { count } = await domain.updateMany({ where: { id, state: found }, data: { state } });
  if (count === 0) throw busy;
  const takeBack = (): Promise<unknown> =>
    domain.updateMany({ where: { id, state }, data: { state: found } });
  const isQuiet = await waitForWrites(db, id, LONGEST).catch(async (error: unknown) => {
    await takeBack().catch(() => undefined);
    throw error;
  });
  if (isQuiet) {
    // Another command that waited for the same write may have given up, and taken its state back.
    const now = await domain.findUnique({ where: { id } });
    if (now?.state !== state) throw busy;
    return;
  }
  await takeBack();
  throw refused(
    `a write to the domain "${name}" has been running for ${LONGEST / 1000} s: try again when it has ended`,
  );
}
