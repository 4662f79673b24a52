import type { SignedInContext } from '../../../core/context/context.ts';
import { loaderById, uncached } from '../../../core/lists/load-by-id.ts';
import { rowClass } from '../../../core/lists/row-class.ts';
import { isUuid } from '../../../core/uuid.ts';
import type { ExportJobModel } from '../../../generated/prisma/models.ts';
import type { StoredBytes } from '../../images/image.ts';
import type { ExportFilter } from '../selection/export-filter.ts';
import { exportFilter, exportFormat, jobState } from '../selection/exports.sql.ts';
import type { ExportFormat } from '../selection/export-format.ts';
import { parseStoredSplit, type Split } from '../selection/split.ts';

export type JobState = 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';

interface ExportJobRow {
  id: string;
  filter: ExportFilter;
  format: ExportFormat;
  /** Null: its images are not split. */
  split: Split | null;
  /** The version that it exports; null for what the project had. */
  versionId: string | null;
  state: JobState;
  progress: number;
  /** Images that are in the archive without their files, for the storage has lost them. */
  missingImages: number;
  /** Null until it has succeeded, and again when it has expired. */
  archive: (StoredBytes & { expiresAt: Date }) | null;
}

/** An export in the background, as its owner sees it. */
export class ExportJob extends rowClass<ExportJobRow>() {}

/** Never cached: a job goes on while a request runs, and one that follows it reads it again and again. */
const loader = loaderById(readJobs, uncached);

/** The job if the viewer started it and may still export its project, else null. GraphQL `node`, `exportJobChanged`. */
export async function loadExportJob(ctx: SignedInContext, id: string): Promise<ExportJob | null> {
  return isUuid(id) ? loader(ctx).load(id) : null;
}

async function readJobs(ctx: SignedInContext, ids: readonly string[]): Promise<ExportJob[]> {
  const { userId, domainId } = ctx.viewer;
  const rows = await ctx.db.prisma.exportJob.findMany({
    where: {
      id: { in: [...ids] },
      ownerId: userId,
      project: {
        deletedAt: null,
        workspace: { domainId, deletedAt: null, members: { some: { userId } } },
      },
      // An annotator has no archive of before.
      OR: [
        { assignedOnly: true },
        {
          project: {
            workspace: { members: { some: { userId, role: { not: 'ANNOTATOR' } } } },
          },
        },
      ],
    },
  });
  const now = ctx.clock();
  return rows.map((row) => toJob(row, now));
}

function toJob(row: ExportJobModel, now: number): ExportJob {
  const { id, storageKey, byteSize, sha256, expiresAt } = row;
  const live = row.state === 'SUCCEEDED' && expiresAt !== null && expiresAt.getTime() > now;
  return new ExportJob({
    id,
    filter: exportFilter.read(row.filter),
    format: exportFormat.read(row.format),
    split: parseStoredSplit(row.split),
    versionId: row.versionId,
    state: jobState.read(row.state),
    progress: row.progress,
    missingImages: row.missingImages,
    archive:
      live && storageKey !== null && sha256 !== null
        ? { storageKey, byteSize: Number(byteSize), sha256, expiresAt }
        : null,
  });
}
