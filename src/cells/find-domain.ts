import type { Database } from '../core/database/db.ts';
import { AppError } from '../core/errors.ts';

/** Whether a domain is in use; see the model Domain. */
export type DomainState = 'OPEN' | 'LOCKED' | 'ARRIVING' | 'LEAVING';

/** A domain, as commands name it. */
export interface FoundDomain {
  id: number;
  name: string;
  state: DomainState;
  arrival: string | null;
}

const words: Record<DomainState, string> = {
  OPEN: 'is open',
  LOCKED: 'is locked',
  ARRIVING: 'has not come as a whole: import the rest of it, or delete it',
  LEAVING: 'is being deleted: `domain delete` goes on with it',
};

/** The domain of a name, in one of these states. Throws E404, and E900 in another state. */
export async function findDomain(
  { prisma }: Pick<Database, 'prisma'>,
  name: string,
  states?: readonly DomainState[],
): Promise<FoundDomain> {
  const found = await prisma.domain.findUnique({ where: { name } });
  if (!found) throw new AppError('E404', { message: `no domain "${name}"` });
  const state = found.state as DomainState;
  if (states && !states.includes(state)) throw refused(`domain "${name}" ${words[state]}`);
  return { id: found.id, name, state, arrival: found.arrival };
}

/** What a command asks for can't be done; nothing was changed. */
export function refused(message: string): AppError {
  return new AppError('E900', { status: 409, message, graphqlCode: 'CONFLICT' });
}
