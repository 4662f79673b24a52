import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { SignedInContext } from '../../core/context/context.ts';
import { AppError, NotFoundError } from '../../core/errors.ts';
import { isLonger, isStorable } from '../../core/text.ts';
import { waitForLock } from '../../core/sql/writes.sql.ts';
import { faultOfName } from '../content/check-naming.ts';
import { createOnce, type Created } from '../content/create-once.ts';
import { shareDataset } from '../content/content.sql.ts';
import { requireDataset } from '../datasets/load-dataset.ts';
import { refusal } from '../envelope/dataset-errors.ts';
import { requireProject } from '../projects/load-project.ts';
import type { DatasetVersion } from './dataset-version.ts';
import { lockOfVersions } from './freeze/lock-of-versions.ts';
import { runNextVersion } from './freeze/run-next-version.ts';
import { requireVersion } from './load-version.ts';
import { lastNumber } from './freeze/versions.sql.ts';

/** Versions that a dataset may have, without deleted ones. */
const MOST_VERSIONS = 1000;
/** How long the answer waits for the version to be ready, in milliseconds. */
const PATIENCE = 5_000;
const RETRY_SECONDS = 5;

/**
 * Freezes the images of a dataset and their annotations, of all its projects or of one, under the next number. What has
 * not changed since the version before is stored once. Small versions are ready at once; large ones are FREEZING for a
 * while, and show what was there when they get ready. Nobody has to wait meanwhile. GraphQL `createDatasetVersion`. Throws
 * ValidationError, NotFoundError, ForbiddenError, IdempotencyError; E902 while one of the dataset is being frozen.
 */
export async function createVersion(
  ctx: SignedInContext,
  args: {
    datasetId: string;
    name?: string | null | undefined;
    notes?: string | null | undefined;
    /** Undefined for all projects to which the dataset is assigned. */
    projectId?: string | undefined;
    idempotencyKey?: string | null | undefined;
  },
): Promise<Created<DatasetVersion>> {
  const name = (args.name ?? '').trim();
  const notes = args.notes ?? '';
  const fault = name === '' ? undefined : faultOfName(name);
  if (fault) throw refusal(fault.code, 'name', fault.message);
  if (isLonger(notes, 10_000) || !isStorable(notes))
    throw refusal(
      'VALIDATION_ERROR',
      'notes',
      'notes has more than 10000 characters or some that can not be stored',
    );
  const { id: datasetId } = await requireDataset(ctx, args.datasetId, 'change');
  const onlyProject = args.projectId ?? null;
  if (onlyProject !== null) await requireAssigned(ctx, datasetId, onlyProject);
  const { answer, replayed } = await createOnce(
    ctx,
    {
      typename: 'DatasetVersion',
      operation: 'createDatasetVersion',
      key: args.idempotencyKey,
      request: { datasetId, name, notes, onlyProject },
    },
    async ({ db }) => {
      await waitForLock.rows(db, { lock: lockOfVersions(datasetId) });
      if (!(await shareDataset.first(db, { id: datasetId, userId: ctx.viewer.userId })))
        throw new NotFoundError('Dataset');
      const {
        number = 0,
        live = 0,
        freezing = 0,
      } = (await lastNumber.first(db, { datasetId })) ?? {};
      if (freezing > 0) throw busy();
      if (live >= MOST_VERSIONS)
        throw refusal(
          'VALIDATION_ERROR',
          'datasetId',
          `has ${live} versions: delete one with deleteDatasetVersion`,
        );
      const id = randomUUID();
      const createdAt = new Date(ctx.clock());
      await db.prisma.datasetVersion.create({
        data: {
          id,
          datasetId,
          number: number + 1,
          name,
          notes,
          onlyProject,
          creatorId: ctx.viewer.userId,
          createdAt,
        },
      });
      return id;
    },
  );
  if (!replayed) await freezeSoon(ctx);
  return { created: await requireVersion(ctx, answer), replayed };
}

async function requireAssigned(
  ctx: SignedInContext,
  datasetId: string,
  projectId: string,
): Promise<void> {
  await requireProject(ctx, projectId);
  const assigned = await ctx.db.prisma.projectDataset.count({ where: { projectId, datasetId } });
  if (assigned === 0) throw new NotFoundError('Project');
}

function busy(): AppError {
  return new AppError('E902', {
    message: `A version of the dataset is being frozen: try again in ${RETRY_SECONDS} s`,
    headers: { 'retry-after': String(RETRY_SECONDS) },
  });
}

/** Starts to freeze, and waits a little for it. */
async function freezeSoon(ctx: SignedInContext): Promise<void> {
  const done = new Promise<void>((resolve) =>
    ctx.background(() => runNextVersion(ctx).finally(resolve)),
  );
  const enough = new AbortController();
  const late = delay(PATIENCE, undefined, { signal: enough.signal }).catch(() => undefined);
  await Promise.race([done, late]);
  enough.abort();
}
