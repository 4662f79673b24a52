import type { Services } from '../core/context/context.ts';
import { findDomain, refused } from './find-domain.ts';
import { recordCommand } from './record-command.ts';
import { closeDomain } from './set-state.ts';

type LockServices = Pick<Services, 'db' | 'clock'>;

/**
 * Lets a domain refuse its writes, on all gateways at once; reads go on. When it returns, every write that was acknowledged
 * is committed. `was` is its state before. Throws E900 where writes in progress take too long.
 */
export async function lockDomain(
  services: LockServices,
  domain: string,
): Promise<{ domain: string; state: string; was: string }> {
  const found = await findDomain(services.db, domain, ['OPEN', 'LOCKED']);
  await closeDomain(services.db, found, 'LOCKED');
  await recordCommand(services, 'lockDomain', { domainId: found.id, target: '' });
  return { domain: found.name, state: 'LOCKED', was: found.state };
}

/** Lets a domain take writes again that was locked. */
export async function unlockDomain(
  services: LockServices,
  domain: string,
): Promise<{ domain: string; state: string }> {
  const { id, name } = await findDomain(services.db, domain, ['OPEN', 'LOCKED']);
  const { count } = await services.db.prisma.domain.updateMany({
    where: { id, state: { in: ['OPEN', 'LOCKED'] } },
    data: { state: 'OPEN' },
  });
  if (count === 0) throw refused(`domain "${name}" is being moved or deleted`);
  await recordCommand(services, 'unlockDomain', { domainId: id, target: '' });
  return { domain: name, state: 'OPEN' };
}
