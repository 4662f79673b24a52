import type { SignedInContext } from '../../../core/context/context.ts';
import { requireProject } from '../../projects/load-project.ts';
import { archiveEntries, type ArchivePlan, type Scratch } from './archive-entries.ts';
import type { ExportFilter } from './export-filter.ts';
import type { ExportFormat } from './label-file.ts';
import { writeZip } from './write-zip.ts';

export interface OpenedExport {
  fileName: string;
  bytes: AsyncGenerator<Uint8Array>;
}

/**
 * Opens the ZIP archive of a project as a stream (F222). GraphQL `exportProject` runs it in the background, REST GET
 * /api/Projects/export at once. Throws NotFoundError, ForbiddenError.
 */
export async function openExport(
  ctx: SignedInContext,
  args: { projectId: string; filter: ExportFilter; format?: ExportFormat } & Pick<
    ArchivePlan,
    'onProgress' | 'onMissing'
  >,
): Promise<OpenedExport> {
  const { projectId, format = 'NATIVE', ...rest } = args;
  const project = await requireProject(ctx, projectId, 'change');
  const exportedAt = new Date(ctx.clock());
  const name = project.name.replace(/[^\p{L}\p{N}._ -]/gu, '_').slice(0, 100);
  return {
    fileName: `${name}-${exportedAt.toISOString().slice(0, 10)}.zip`,
    bytes: write(ctx, { project, format, exportedAt, ...rest }),
  };
}

async function* write(ctx: SignedInContext, plan: ArchivePlan): AsyncGenerator<Uint8Array> {
  const scratch: Scratch = [];
  try {
    yield* writeZip(archiveEntries(ctx, plan, scratch), plan.exportedAt);
  } finally {
    await Promise.all(scratch.map((file) => file.discard()));
  }
}
