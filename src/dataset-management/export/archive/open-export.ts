import type { SignedInContext } from '../../../core/context/context.ts';
import { requireProject } from '../../projects/load-project.ts';
import type { Scratch } from '../files/archive-file.ts';
import { checkExport, type ExportOptions } from '../selection/check-export.ts';
import { archiveEntries } from './archive-entries.ts';
import type { ArchivePlan } from './archive-plan.ts';
import { writeZip } from './write-zip.ts';

export interface OpenedExport {
  fileName: string;
  bytes: AsyncGenerator<Uint8Array>;
}

/**
 * Opens the ZIP archive of a project as a stream (F222). GraphQL `exportProject` runs it in the background, REST GET
 * /api/Projects/export at once. Annotators get what is assigned to them. Throws
 * NotFoundError, ValidationError.
 */
export async function openExport(
  ctx: SignedInContext,
  args: { projectId: string; assignedOnly?: boolean; exportedAt?: Date } & ExportOptions &
    Pick<ArchivePlan, 'onProgress' | 'onMissing'>,
): Promise<OpenedExport> {
  const { projectId, assignedOnly = false, exportedAt = new Date(ctx.clock()), ...rest } = args;
  const project = await requireProject(ctx, projectId);
  const assignee = assignedOnly || project.role === 'ANNOTATOR' ? ctx.viewer.userId : undefined;
  const version = await checkExport(ctx, project.id, args);
  const name = project.name.replace(/[^\p{L}\p{N}._ -]/gu, '_');
  return {
    fileName: `${[...name].slice(0, 100).join('')}-${exportedAt.toISOString().slice(0, 10)}.zip`,
    bytes: write(ctx, { ...rest, project, exportedAt, assignee, version }),
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
