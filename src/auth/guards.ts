import type { Context, SignedInContext } from '../core/context/context.ts';
import type { Customer } from '../core/context/customer.ts';
import { AppError, ForbiddenError } from '../core/errors.ts';
import type { Viewer } from '../core/context/viewer.ts';

/**
 * The context of a signed-in caller. Otherwise throws the same error for every fault of a session: 401 E202, GraphQL
 * UNAUTHENTICATED (F012).
 */
export function signedIn(ctx: Context): SignedInContext {
  if (!isSignedIn(ctx)) throw new AppError('E202');
  return ctx;
}

function isSignedIn(ctx: Context): ctx is SignedInContext {
  return ctx.viewer !== null;
}

/**
 * The customer. Otherwise throws the same error for every fault of an API key: 401 E202, GraphQL UNAUTHENTICATED
 * (D-73).
 */
export function requireCustomer(ctx: Context): Customer {
  if (!ctx.customer)
    throw new AppError('E202', { message: 'API-Key and customerId are missing or not valid' });
  return ctx.customer;
}

/** The viewer, if it holds the permission; else ForbiddenError. */
export function requirePermission({ viewer }: SignedInContext, permission: string): Viewer {
  if (!viewer.permissions.has(permission))
    throw new ForbiddenError(`This needs the permission ${permission}`);
  return viewer;
}

/**
 * Gives the context the session that GraphQL's signIn has just created, so that its payload can show data of the new
 * viewer. Nothing else changes the viewer of a context.
 */
export function enterSession(ctx: Context, viewer: Viewer): void {
  // The only write to a context in use: GraphQL passes one context to all fields of an operation, and those below the
  // payload need the new viewer.
  Object.assign(ctx, { viewer });
}
