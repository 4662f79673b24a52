import type { SignedInContext } from '../../../core/context/context.ts';
import type { StagedBlob } from '../../../core/context/storage.ts';
import { presentStatus } from '../../datasets/dataset.ts';
import type { AnnotationClass } from '../../projects/annotations/list-annotation-classes.ts';
import { exportFilterNames } from '../selection/export-filter.ts';
import type { ArchivePlan } from './archive-plan.ts';
import { stageFileList } from './stage-file-list.ts';

/** `project.json`: what was exported, and the SHA-256 of every file. */
export async function describeArchive(
  ctx: SignedInContext,
  plan: ArchivePlan,
  {
    classes,
    counts,
    files,
  }: {
    classes: readonly AnnotationClass[];
    counts: Record<'images' | 'missing' | 'annotations' | 'files', number>;
    /** Ended: one line for each file. */
    files: StagedBlob;
  },
): Promise<StagedBlob> {
  const { project, filter, format, split, exportedAt, version } = plan;
  const datasets = await ctx.db.prisma.dataset.findMany({
    where: version
      ? { id: version.datasetId }
      : { deletedAt: null, projects: { some: { projectId: project.id } } },
    select: { id: true, name: true, description: true, status: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  const head = {
    formatVersion: '1.0',
    exportedAt,
    filter: exportFilterNames[filter],
    format,
    ...(split && { split }),
    ...(version && {
      version: { id: version.id, number: version.number, digest: version.digest },
    }),
    project: {
      id: project.id,
      name: project.name,
      description: project.description,
      status: presentStatus(project.status),
    },
    encryption: project.encrypted
      ? { algorithm: 'AES-256-CBC', initialisationVector: 'first 16 bytes of each image' }
      : null,
    classes: classes.map(({ id, name, color, position, supercategory, skeleton }) => ({
      id,
      name,
      color,
      position,
      ...(supercategory !== null && { supercategory }),
      ...(skeleton !== null && { skeleton }),
    })),
    datasets: datasets.map(({ status, ...dataset }) => ({
      ...dataset,
      status: presentStatus(status),
    })),
    counts,
  };
  return stageFileList(ctx.storage, head, files);
}
