import { requireViewer } from '../../../auth/guards.ts';
import type { Context } from '../../../core/context/context.ts';
import { Params } from '../../../core/lists/pagination.ts';
import type { StoredBytes } from '../../images/image.ts';
import { memberWorkspacesSql } from '../../workspaces/workspace.ts';
import type { ExportFilter } from '../archive/export-filter.ts';
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

interface JobRow {
  id: string;
  filter: ExportFilter;
  format: ExportFormat;
  state: JobState;
  progress: number;
  missing_images: number;
  storage_key: string | null;
  byte_size: string | null;
  sha256: string | null;
  expires_at: Date | null;
}

/** The job if the viewer started it and may still export its project, else null. GraphQL `node`, `exportJobChanged`. */
export async function loadExportJob(ctx: Context, id: string): Promise<ExportJob | null> {
  const viewer = requireViewer(ctx);
  const params = new Params();
  const { rows } = await ctx.db.pool.query<JobRow>(
    `SELECT j.* FROM ${memberWorkspacesSql(viewer, params)} AND m.role <> 'ANNOTATOR' JOIN project p ON p.workspace_id = w.id AND p.deleted_at IS NULL
     JOIN export_job j ON j.project_id = p.id WHERE j.id = ${params.add(id)} AND j.owner_id = ${params.add(viewer.userId)}`,
    params.values,
  );
  const row = rows[0];
  if (!row) return null;
  const now = ctx.clock();
  const live =
    row.state === 'SUCCEEDED' && row.expires_at !== null && row.expires_at.getTime() > now;
  const archive =
    live && row.storage_key !== null && row.sha256 !== null && row.expires_at !== null
      ? {
          storageKey: row.storage_key,
          byteSize: Number(row.byte_size),
          sha256: row.sha256,
          expiresAt: row.expires_at,
        }
      : null;
  return new ExportJob({
    id: row.id,
    filter: row.filter,
    format: row.format,
    state: row.state,
    progress: row.progress,
    missingImages: row.missing_images,
    archive,
  });
}
