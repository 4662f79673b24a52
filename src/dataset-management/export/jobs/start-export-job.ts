import { createHash, randomUUID } from 'node:crypto';
import type { SignedInContext } from '../../../core/context/context.ts';
import type { Database } from '../../../core/database/db.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { createOnce, type Created } from '../../content/create-once.ts';
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
  const { answer, replayed } = await createOnce(
    ctx,
    { typename: 'ExportJob', operation: 'exportProject', key: args.idempotencyKey, request },
    async ({ db }) => {
      // To tell that takes time by the number of images, so nobody waits for it.
      const content =
        frozen && !assignedOnly
          ? await contentOfVersion(db, project, frozen)
          : ((await contentVersion.first(db, { projectId: project.id }))?.version ?? '');
      await lockCaps.rows(db, { userId: ctx.viewer.userId, workspaceId: project.workspaceId });
      const wanted = {
        ...request,
        assignedOnly,
        ownerId: ctx.viewer.userId,
        content,
      };
      const same = await findSame(ctx, db.prisma, wanted);
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

/**
 * A job of the user for the same content, under way or with its archive, of which nothing is missing; it is then kept
 * as long as a new one.
 */
async function findSame(
  ctx: SignedInContext,
  { exportJob }: Prisma,
  wanted: StoredRequest & { content: string; ownerId: number; assignedOnly: boolean },
): Promise<string | undefined> {
  const now = ctx.clock();
  const ready = { state: 'SUCCEEDED', expiresAt: { gt: new Date(now) }, missingImages: 0 };
  const found = await exportJob.findFirst({
    where: { ...wanted, OR: [underWay, ready] },
    orderBy: { createdAt: 'desc' },
    select: { id: true, storageKey: true },
  });
  if (!found) return undefined;
  if (found.storageKey !== null && !(await ctx.storage.stat(found.storageKey))) return undefined;
  await exportJob.updateMany({
    where: { id: found.id, state: 'SUCCEEDED' },
    data: { expiresAt: new Date(now + KEEP_MS) },
  });
  return found.id;
}
