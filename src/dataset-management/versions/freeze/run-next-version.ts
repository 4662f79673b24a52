import { randomUUID } from 'node:crypto';
import type { Services } from '../../../core/context/context.ts';
import { takeUp } from '../../../core/turns/take-up.ts';
import { checkAttempts, runClaimed } from '../../content/run-claimed.ts';
import { claimVersion, freeVersion, renewVersion } from './versions.sql.ts';
import { endVersion, finishVersion } from './finish-version.ts';
import { freezeTrees } from './freeze-trees.ts';

/** Freezes the oldest version that waits for it and that nobody freezes, if there is one. */
export async function runNextVersion(services: Services): Promise<void> {
  const runner = randomUUID();
  const claimed = await claimVersion.first(services.db, { runner });
  if (!claimed) return;
  const version = { ...claimed, runner };
  const { id, attempts } = version;
  const logged = { version: id };
  const renew = async (): Promise<boolean> =>
    (await renewVersion.first(services.db, { id, runner })) !== undefined;
  await runClaimed(
    services,
    { kind: 'version', logged, attempts, renew },
    async ({ signal }) => {
      checkAttempts(version);
      if (version.frozenAt === null) await freezeTrees(services, version, signal);
      await finishVersion(services, version, signal);
    },
    async (error) => {
      services.log.error({ err: error, ...logged }, 'version failed');
      await endVersion(services.db, version, { state: 'FAILED' }).catch(() => undefined);
    },
  );
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
