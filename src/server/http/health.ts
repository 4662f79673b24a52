import type { Services } from '../../core/context/context.ts';
import { StorageMissingError } from '../../core/context/storage.ts';
import type { Reply } from '../../core/rest/route.ts';

/** How long the state of the storage is cached, in milliseconds: anybody may ask for it. */
const KNOWN_FOR = 5_000;

/**
 * /healthz: the process is alive. /readyz: the database answers, and the storage's bucket exists or its disk is mounted.
 * A storage that is slow or unreachable does not fail /readyz: most requests don't need it. While steps of a migration
 * are under way, it says so.
 */
export function createHealth(services: Services): (pathname: string) => Promise<Reply> {
  const plain = { 'content-type': 'text/plain; charset=utf-8' };
  const ready = { status: 200, headers: plain };
  const notReady = (body: string): Reply => ({
    status: 503,
    headers: { ...plain, 'retry-after': '2' },
    body,
  });
  let missing = false;
  let asked = -Infinity;
  const look = async (): Promise<void> => {
    if (performance.now() - asked < KNOWN_FOR) return;
    asked = performance.now();
    await services.storage.check().then(
      () => (missing = false),
      (error: unknown) => {
        missing = error instanceof StorageMissingError;
        if (missing) services.log.error({ err: error }, 'not ready');
      },
    );
  };
  return async (pathname) => {
    if (pathname === '/healthz') return { status: 200, headers: plain, body: 'ok' };
    // Lists can be read: a gateway that is not ready would not be asked.
    if (services.replicas?.whileGone()) return { ...ready, body: 'ready to read: no primary' };
    try {
      await services.db.rows('SELECT 1', []);
    } catch {
      return notReady('database not available');
    }
    await Promise.race([look(), new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
    if (missing) return notReady('storage not available');
    const steps = services.steps.underWay();
    return { ...ready, body: steps ? `ready; under way: ${steps}` : 'ready' };
  };
}
