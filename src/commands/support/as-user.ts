import type { SignedInContext, Services } from '../../core/context/context.ts';
import { startTrace } from '../../core/context/telemetry.ts';
import { UsageError } from './usage-error.ts';

/** Runs an operation as a user, with exactly the rights of that user. Throws NotFoundError for an unknown login. */
export async function asUser<T>(
  services: Services,
  login: string,
  work: (ctx: SignedInContext) => Promise<T>,
): Promise<T> {
  const { createSession } = await import('../../accounts/sessions/create-session.ts');
  const { identifyViewer } = await import('../../auth/identify-viewer.ts');
  const { token } = await createSession(services, login);
  const viewer = await identifyViewer(services, token);
  if (!viewer) throw new UsageError(`${login} is not a user who can sign in`);
  try {
    return await work({
      ...services,
      viewer,
      customer: null,
      requestId: 'command',
      trace: startTrace('command', 'background'),
      remoteAddress: '',
      baseUrl: services.config.publicUrl ?? '',
    });
  } finally {
    await services.db.prisma.session.deleteMany({ where: { id: viewer.sessionId } });
  }
}
