import type { SignedInContext } from '../../../core/context/context.ts';
import { loaderById } from '../../../core/lists/load-by-id.ts';
import { isUuid } from '../../../core/uuid.ts';
import { jobState } from '../../export/selection/exports.sql.ts';
import { readReport, type ImportReport } from './import-report.ts';

type JobState = 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';

/** An import of annotations in the background, as its owner sees it. */
export class AnnotationImport {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly dryRun: boolean;
  readonly state: JobState;
  readonly progress: number;
  /** Empty until it has ended. */
  readonly report: ImportReport;

  constructor(row: {
    id: string;
    projectId: string;
    name: string;
    dryRun: boolean;
    state: JobState;
    progress: number;
    report: ImportReport;
  }) {
    this.id = row.id;
    this.projectId = row.projectId;
    this.name = row.name;
    this.dryRun = row.dryRun;
    this.state = row.state;
    this.progress = row.progress;
    this.report = row.report;
  }
}

/** Never cached: a job goes on while a request runs, and one that follows it reads it again and again. */
const loader = loaderById(readImports, { cache: false, maxBatchSize: 500 });

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
