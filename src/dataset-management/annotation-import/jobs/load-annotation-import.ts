import type { SignedInContext } from '../../../core/context/context.ts';
import { loaderById, uncached } from '../../../core/lists/load-by-id.ts';
import { rowClass } from '../../../core/lists/row-class.ts';
import { isUuid } from '../../../core/uuid.ts';
import type { JobState } from '../../export/jobs/load-export-job.ts';
import { jobState } from '../../export/selection/exports.sql.ts';
import { readReport, type ImportReport } from './import-report.ts';

interface AnnotationImportRow {
  id: string;
  projectId: string;
  name: string;
  dryRun: boolean;
  state: JobState;
  progress: number;
  /** Empty until it has ended. */
  report: ImportReport;
}

/** An import of annotations in the background, as its owner sees it. */
export class AnnotationImport extends rowClass<AnnotationImportRow>() {}

/** Never cached: a job goes on while a request runs, and one that follows it reads it again and again. */
const loader = loaderById(readImports, uncached);

/** The import if the viewer started it and may still change its project, else null. GraphQL `node`, `annotationImportChanged`. */
export async function loadAnnotationImport(
  ctx: SignedInContext,
  id: string,
): Promise<AnnotationImport | null> {
  return isUuid(id) ? loader(ctx).load(id) : null;
}

async function readImports(
  ctx: SignedInContext,
  ids: readonly string[],
): Promise<AnnotationImport[]> {
  const { userId, domainId } = ctx.viewer;
  const members = { some: { userId, role: { not: 'ANNOTATOR' } } };
  const rows = await ctx.db.prisma.annotationImport.findMany({
    where: {
      id: { in: [...ids] },
      ownerId: userId,
      project: { deletedAt: null, workspace: { domainId, deletedAt: null, members } },
    },
  });
  return rows.map(
    ({ state, report, ...row }) =>
      new AnnotationImport({ ...row, state: jobState.read(state), report: readReport(report) }),
  );
}
