import type { Services, SignedInContext } from '../../core/context/context.ts';
import { startTrace } from '../../core/context/telemetry.ts';
import { NotFoundError } from '../../core/errors.ts';
import { foldLogin } from '../../core/text.ts';

/**
 * Runs an operation as a user, with exactly the rights of that user. Without a session, which would be a write: who reads
 * may do so while the domain is locked. Throws NotFoundError for an unknown login, and for a user who is disabled.
 */
export async function asUser<T>(
  services: Services,
  login: string,
  work: (ctx: SignedInContext) => Promise<T>,
): Promise<T> {
  const { loadViewer } = await import('../../auth/load-viewer.ts');
  const user = await services.db.prisma.user.findUnique({ where: { login: foldLogin(login) } });
  const viewer = user && (await loadViewer(services, user.id));
  if (!viewer) throw new NotFoundError(user ? 'Enabled user' : 'User');
  return work({
    ...services,
    viewer,
    customer: null,
    requestId: 'command',
    trace: startTrace('command', 'background'),
    remoteAddress: '',
    baseUrl: services.config.publicUrl ?? '',
  });
}
