import type { SignedInContext } from '../../../core/context/context.ts';
import type { StoredBytes } from '../../images/image.ts';
import type { ExportFilter } from '../archive/export-filter.ts';
import { exportFilter, exportFormat, jobState } from '../archive/exports.sql.ts';
import type { ExportFormat } from '../archive/label-file.ts';

export type JobState = 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';

/** An export in the background, as its owner sees it. */
export class ExportJob {
  readonly id: string;
  readonly filter: ExportFilter;
  readonly format: ExportFormat;
  readonly state: JobState;
  readonly progress: number;
  /** Images that are in the archive without their files, for the storage has lost them. */
  readonly missingImages: number;
  /** Null until it has succeeded, and again when it has expired. */
  readonly archive: (StoredBytes & { expiresAt: Date }) | null;

  constructor(row: {
    id: string;
    filter: ExportFilter;
    format: ExportFormat;
    state: JobState;
    progress: number;
    missingImages: number;
    archive: (StoredBytes & { expiresAt: Date }) | null;
  }) {
    this.id = row.id;
    this.filter = row.filter;
    this.format = row.format;
    this.state = row.state;
    this.progress = row.progress;
    this.missingImages = row.missingImages;
    this.archive = row.archive;
  }
}

/** Nothing will change any more. */
export function isFinished({ state }: ExportJob): boolean {
  return state !== 'QUEUED' && state !== 'RUNNING';
}

/** The job if the viewer started it and may still export its project, else null. GraphQL `node`, `exportJobChanged`. */
export async function loadExportJob(ctx: SignedInContext, id: string): Promise<ExportJob | null> {
  const { userId, domainId } = ctx.viewer;
  const members = { some: { userId, role: { not: 'ANNOTATOR' } } };
  const row = await ctx.db.prisma.exportJob.findUnique({
    where: {
      id,
      ownerId: userId,
      project: { deletedAt: null, workspace: { domainId, deletedAt: null, members } },
    },
  });
  if (!row) return null;
  const { storageKey, byteSize, sha256, expiresAt } = row;
  const live = row.state === 'SUCCEEDED' && expiresAt !== null && expiresAt.getTime() > ctx.clock();
  return new ExportJob({
    id,
    filter: exportFilter.read(row.filter),
    format: exportFormat.read(row.format),
    state: jobState.read(row.state),
    progress: row.progress,
    missingImages: row.missingImages,
    archive:
      live && storageKey !== null && sha256 !== null
        ? { storageKey, byteSize: Number(byteSize), sha256, expiresAt }
        : null,
  });
}
