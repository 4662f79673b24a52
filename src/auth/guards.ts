import { actorOf } from '../core/context/act.ts';
import { forgetRequest, type Context, type SignedInContext } from '../core/context/context.ts';
import type { Customer, ScimClient } from '../core/context/customer.ts';
import { AppError, ForbiddenError } from '../core/errors.ts';
import type { Viewer } from '../core/context/viewer.ts';
import { identifyCustomer } from './identify-customer.ts';
import { identifyViewer } from './identify-viewer.ts';

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

/** The directory of a SCIM token. Otherwise throws the same error for every fault of a token: 401 E202. */
export function requireScimClient(ctx: Context): ScimClient {
  if (!ctx.scim)
    throw new AppError('E202', {
      message: 'The SCIM token is missing or not valid',
      headers: { 'www-authenticate': 'Bearer realm="SCIM"' },
    });
  return ctx.scim;
}

/** The viewer, if it holds the permission; else ForbiddenError, which goes on record even for what only reads. */
export function requirePermission(ctx: SignedInContext, permission: string): Viewer {
  const { viewer } = ctx;
  if (viewer.permissions.has(permission)) return viewer;
  if (!ctx.act) noteRefusedRead(ctx, permission);
  throw new ForbiddenError(`This needs the permission ${permission}`);
}

/** Writes need no such note: theirs is the entry of the write. */
function noteRefusedRead(ctx: SignedInContext, permission: string): void {
  const at = new Date(ctx.clock());
  const what = {
    surface: ctx.trace.surface === 'rest' ? 'REST' : 'GRAPHQL',
    action: 'read',
  } as const;
  const refusal = { outcome: 'REFUSED', code: 'FORBIDDEN', target: permission, at } as const;
  ctx.audit
    .refused({ ...actorOf(ctx), ...what, ...refusal })
    .catch((error: unknown) => ctx.log.error({ err: error }, 'no entry in the audit log'));
}

/**
 * Gives the context the session that GraphQL's signIn has just created, so that its payload can show data of the new
 * viewer, and later mutations of the document are that viewer's, as long as this session lives.
 */
export function enterSession(ctx: Context, { viewer, token }: Session): void {
  change(ctx, { viewer, token });
}

interface Session {
  viewer: Viewer;
  token: string;
}

/**
 * Makes sure who sends the request, between two mutations of a document: the session or the key may have ended since, or
 * its user may have lost permissions. Who is gone is nobody to the operations that follow, which read anew what they may see.
 */
export async function identifyAgain(ctx: Context): Promise<void> {
  const [viewer, customer] = await Promise.all([
    ctx.viewer && identifyViewer(ctx, ctx.token),
    ctx.customer && identifyCustomer(ctx, ctx.res?.req.headers ?? {}),
  ]);
  change(ctx, { viewer, customer });
  forgetRequest(ctx);
}

/**
 * The caller once more, when files have arrived, which takes up to ten minutes. Throws E202 if the session has ended since.
 */
export async function signedInStill(ctx: SignedInContext): Promise<SignedInContext> {
  // Without a token the paths of datasets are open to everybody: DATASET_AUTH=off.
  if (ctx.token === undefined) return ctx;
  return signedIn({ ...ctx, viewer: await identifyViewer(ctx, ctx.token) });
}

/** The only writes to a context in use: GraphQL passes one context to all fields of an operation. */
function change(
  ctx: Context,
  caller: Partial<Pick<Context, 'viewer' | 'customer' | 'token'>>,
): void {
  Object.assign(ctx, caller);
}
