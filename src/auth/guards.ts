import type { Context, SignedInContext } from '../core/context/context.ts';
import type { Customer } from '../core/context/customer.ts';
import { AppError, ForbiddenError } from '../core/errors.ts';
import type { Viewer } from '../core/context/viewer.ts';

/** The context of somebody who is signed in, or the one answer for every fault of a session: 401 E202, GraphQL UNAUTHENTICATED (F012). */
export function signedIn(ctx: Context): SignedInContext {
  if (!isSignedIn(ctx)) throw new AppError('E202');
  return ctx;
}

function isSignedIn(ctx: Context): ctx is SignedInContext {
  return ctx.viewer !== null;
}

/** The viewer of a context that may be anybody's; else as signedIn. */
export function requireViewer(ctx: Context): Viewer {
  return signedIn(ctx).viewer;
}

/** The customer, or the one answer for every fault of an API key: 401 E202, GraphQL UNAUTHENTICATED (D-73). */
export function requireCustomer(ctx: Context): Customer {
  if (!ctx.customer)
    throw new AppError('E202', { message: 'API-Key and customerId are missing or not valid' });
  return ctx.customer;
}

/** The viewer, if it holds the permission; else ForbiddenError. */
export function requirePermission(ctx: Context, permission: string): Viewer {
  const viewer = requireViewer(ctx);
  if (!viewer.permissions.has(permission))
    throw new ForbiddenError(`This needs the permission ${permission}`);
  return viewer;
}

/** Makes the context that of the session that GraphQL's signIn has just begun, whose payload shows what is the new viewer's: nothing else changes who is asking. */
export function enterSession(ctx: Context, viewer: Viewer): void {
  Object.assign(ctx, { viewer });
}
