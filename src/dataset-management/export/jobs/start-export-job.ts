import { createHash, randomUUID } from 'node:crypto';
import type { SignedInContext } from '../../../core/context/context.ts';
import type { Database } from '../../../core/database/db.ts';
import { storedAnswer } from '../../../core/context/with-idempotency.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { createOnce, creationWrite, type Created } from '../../content/create-once.ts';
import { requireProject } from '../../projects/load-project.ts';
import type { Project } from '../../projects/project.ts';
import type { OpenVersion } from '../../versions/open-version.ts';
import { bytesOfVersion, contentVersion, LAYOUT, lockCaps } from '../selection/exports.sql.ts';
import { checkExport, type ExportOptions } from '../selection/check-export.ts';
import { storeSplit } from '../selection/split.ts';
import { checkCaps, underWay } from './check-caps.ts';
import { loadExportJob, type ExportJob } from './load-export-job.ts';
import { KEEP_MS, runNextExport } from './run-export-job.ts';

const caps = { jobs: 'exports', cancel: 'cancelExport', ofUser: 5, ofWorkspace: 20 };

type Prisma = Database['prisma'];

/** As it is stored. */
type StoredRequest = { projectId: string; versionId: string | null } & Omit<
  ExportOptions,
  'split' | 'version'
> & { split: string };

type Wanted = StoredRequest & { content: string; ownerId: number; assignedOnly: boolean };

/**
 * Starts an export in the background; its archive can be downloaded for a week. While nothing has changed, the same
 * export asked for again is the same job. Annotators get what is assigned to them. GraphQL `exportProject`. Throws
 * NotFoundError, ValidationError, IdempotencyError; E902 while too many exports are under way.
 */
export async function startExportJob(
  ctx: SignedInContext,
  args: { projectId: string } & ExportOptions & { idempotencyKey?: string | null | undefined },
): Promise<Created<ExportJob>> {
  const project = await requireProject(ctx, args.projectId);
  const assignedOnly = project.role === 'ANNOTATOR';
  const frozen = await checkExport(ctx, project.id, args);
  const { filter, format } = args;
  const request = {
    projectId: project.id,
    versionId: frozen?.id ?? null,
    filter,
    format,
    split: storeSplit(args.split),
  };
  const creation = { operation: 'exportProject', key: args.idempotencyKey, request };
  const earlier = await storedAnswer(ctx, creationWrite(ctx, creation));
  const describe = async (db: Pick<Database, 'rows'>): Promise<Wanted> => {
    const content =
      frozen && !assignedOnly
        ? await contentOfVersion(db, project, frozen)
        : ((await contentVersion.first(db, { projectId: project.id }))?.version ?? '');
    return { ...request, assignedOnly, ownerId: ctx.viewer.userId, content };
  };
  // To tell what is in it takes time by the number of images, and the storage may be slow: nobody waits for either.
  const described = earlier ? undefined : await describe(ctx.db);
  const lost = described && (await findLost(ctx, described));
  const { answer, replayed } = await createOnce(
    ctx,
    { typename: 'ExportJob', ...creation },
    async ({ db }) => {
      const wanted = described ?? (await describe(db));
      await lockCaps.rows(db, { userId: ctx.viewer.userId, workspaceId: project.workspaceId });
      const same = await keepSame(ctx, db.prisma, wanted, lost);
      if (same !== undefined) return same;
      await checkCaps(
        (where) => db.prisma.exportJob.count({ where }),
        { ...wanted, workspaceId: project.workspaceId },
        caps,
      );
      const { id } = await db.prisma.exportJob.create({
        data: { ...wanted, id: randomUUID(), createdAt: new Date(ctx.clock()) },
      });
      return id;
    },
  );
  if (!replayed) ctx.background(() => runNextExport(ctx));
  const job = await loadExportJob(ctx, answer);
  if (!job) throw new NotFoundError('ExportJob');
  return { created: job, replayed };
}

/** A version always holds the same, but for its ciphertext; what is assigned changes. */
async function contentOfVersion(
  db: Pick<Database, 'rows'>,
  { version, encrypted }: Project,
  { id, datasetId, digest }: OpenVersion,
): Promise<string> {
  const bytes = encrypted
    ? (await bytesOfVersion.first(db, { versionId: id, datasetId }))?.version
    : undefined;
  return createHash('md5')
    .update(`${LAYOUT} ${version} ${digest} ${bytes ?? ''}`)
    .digest('hex');
}

/** A job of the user for the same content, under way or with its archive, of which nothing is missing. */
function findSame(
  ctx: SignedInContext,
  { exportJob }: Prisma,
  wanted: Wanted,
): Promise<{ id: string; storageKey: string | null } | null> {
  const ready = { state: 'SUCCEEDED', expiresAt: { gt: new Date(ctx.clock()) }, missingImages: 0 };
  return exportJob.findFirst({
    where: { ...wanted, OR: [underWay, ready] },
    orderBy: { createdAt: 'desc' },
    select: { id: true, storageKey: true },
  });
}

/** Where the archive of the same job should be, if the storage has lost it. */
async function findLost(ctx: SignedInContext, wanted: Wanted): Promise<string | undefined> {
  const { storageKey } = (await findSame(ctx, ctx.db.prisma, wanted)) ?? { storageKey: null };
  return storageKey === null || (await ctx.storage.stat(storageKey)) ? undefined : storageKey;
}

/** The same job, unless its archive is `lost`; it is then kept as long as a new one. */
async function keepSame(
  ctx: SignedInContext,
  prisma: Prisma,
  wanted: Wanted,
  lost: string | undefined,
): Promise<string | undefined> {
  const found = await findSame(ctx, prisma, wanted);
  if (!found || (found.storageKey !== null && found.storageKey === lost)) return undefined;
  if (found.storageKey === null) return found.id;
  // None where it has expired by the clock of another gateway, which is removing it.
  const { count } = await prisma.exportJob.updateMany({
    where: { id: found.id },
    data: { expiresAt: new Date(ctx.clock() + KEEP_MS) },
  });
  return count > 0 ? found.id : undefined;
}
