import { requirePermission } from '../../auth/guards.ts';
import type { SignedInContext } from '../../core/context/context.ts';

/** Who administers the users of a domain: a user of it, or an operator on the command line. */
export interface Administrator {
  domainId: number;
}

/** The viewer as administrator of their domain. Throws ForbiddenError without the permission DOMAIN_ADMIN. */
export function administratorOf(ctx: SignedInContext): Administrator {
  const { domainId } = requirePermission(ctx, 'DOMAIN_ADMIN');
  return { domainId };
}
