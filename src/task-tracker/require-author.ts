import { requirePermission, signedIn } from '../auth/guards.ts';
import { tellAct } from '../core/context/act.ts';
import type { Context } from '../core/context/context.ts';
import { AppError } from '../core/errors.ts';

/** Who creates tasks and templates. */
export interface Author {
  domainId: number;
  /** Null for a supervisor. */
  customerId: string | null;
  /** Owner of the idempotency keys. */
  scope: string;
}

/** The customer of the API key, else the viewer if it is a supervisor. Throws E202, ForbiddenError. */
export function requireAuthor(ctx: Context): Author {
  if (ctx.customer) {
    const { domainId, customerId } = ctx.customer;
    const scope = `customer:${customerId}`;
    // A session may be sent with the key: the key decides, for the audit log too.
    tellAct(ctx, { actor: scope, userId: null, domainId });
    return { domainId, customerId, scope };
  }
  if (!ctx.viewer)
    throw new AppError('E202', {
      message: 'Neither a valid API-Key with its customerId nor a session',
    });
  const { domainId, userId } = requirePermission(signedIn(ctx), 'SUPERVISOR');
  return { domainId, customerId: null, scope: `user:${userId}` };
}
