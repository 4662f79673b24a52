import { randomUUID } from 'node:crypto';
import type { Services } from '../../../core/context/context.ts';
import { isPassing } from '../../../core/failures/to-app-error.ts';
import { takeUp } from '../../../core/turns/take-up.ts';
import { claimVersion, freeVersion, renewVersion } from './versions.sql.ts';
import { endVersion, finishVersion } from './finish-version.ts';
import { freezeTrees } from './freeze-trees.ts';

const RENEW_MS = 1_000;
/** A version whose gateway died, or lost its database, this often is not tried again. */
const MOST_ATTEMPTS = 3;

/** Freezes the oldest version that waits for it and that nobody freezes, if there is one. */
export async function runNextVersion(services: Services): Promise<void> {
  const runner = randomUUID();
  const claimed = await claimVersion.first(services.db, { runner });
  if (!claimed) return;
  const version = { ...claimed, runner };
  const stop = new AbortController();
  const renewal = setInterval(() => {
    renewVersion
      .first(services.db, { id: version.id, runner })
      .then((row) => row ?? stop.abort())
      .catch(() => undefined);
  }, RENEW_MS);
  try {
    if (version.attempts > MOST_ATTEMPTS)
      throw new Error(`gave up after ${MOST_ATTEMPTS} attempts that did not finish`);
    if (version.frozenAt === null) await freezeTrees(services, version, stop.signal);
    await finishVersion(services, version, stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return;
    // Its claim lapses soon, and a gateway goes on with it.
    if (isPassing(error) && version.attempts < MOST_ATTEMPTS)
      return services.log.warn(
        { err: error, version: version.id },
        'version interrupted: it begins again',
      );
    services.log.error({ err: error, version: version.id }, 'version failed');
    await endVersion(services.db, version, { state: 'FAILED' }).catch(() => undefined);
  } finally {
    clearInterval(renewal);
  }
}

/** Freezes a version that waits for somebody, or that a gateway left when it died. */
export const takeUpVersions = takeUp(
  (db: Services['db']) => freeVersion.first(db, {}),
  runNextVersion,
);

/** For the start of a gateway: the embedded database has only one, so versions that are being frozen belong to a dead process. */
export async function releaseVersions(services: Services): Promise<void> {
  if (services.db.embedded)
    await services.db.prisma.datasetVersion.updateMany({
      where: { state: 'FREEZING' },
      data: { aliveAt: null },
    });
  await takeUpVersions(services);
}
