import { identifyViewer } from '../../auth/identify-viewer.ts';
import { ABSOLUTE_LIFE } from '../../auth/prolong-session.ts';
import { makeToken } from '../../auth/tokens.ts';
import { tellAct, type Acting } from '../../core/context/act.ts';
import type { Services } from '../../core/context/context.ts';
import type { OidcProvider } from '../../core/oidc/oidc-provider.ts';
import { AppError } from '../../core/errors.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import { beginSession } from './begin-session.ts';
import { verifyToken } from './verify-token.ts';

/** A session that a sign-in began. */
export interface BegunSession {
  /** Shown once. */
  token: string;
  expiresAt: Date;
  viewer: Viewer;
}

/**
 * Issues a session for an ID token of a provider, which has to be new and works once (the clients of the documents keep
 * their header); with `from`, only one of that provider. GraphQL `signInWithToken`; REST POST /session. Whatever is
 * wrong with a token gives the same E202; throws 503 while the provider's keys are unknown.
 */
export async function signInWithToken(
  services: Services & Acting,
  { idToken, from }: { idToken: string; from?: OidcProvider },
): Promise<BegunSession> {
  // Who sends a token with a session is not known to be its user.
  tellAct(services, { actor: 'unknown', userId: null, domainId: null });
  const verified = await verifyToken(services, idToken, 'id');
  if (!verified || (from && from.settings !== verified.settings))
    throw new AppError('E202', { message: 'The token is not valid here' });
  const token = makeToken();
  const absoluteExpiresAt = services.clock() + ABSOLUTE_LIFE;
  const { expiresAt } = await beginSession(services, verified, { token, absoluteExpiresAt });
  const viewer = await identifyViewer(services, token);
  if (!viewer) throw new AppError('E202', { message: 'This identity may not sign in here' });
  return { token, expiresAt, viewer };
}
