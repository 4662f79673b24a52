import type { SignedInContext } from '../../../core/context/context.ts';
import { ValidationError, type FieldProblem } from '../../../core/errors.ts';
import type { ExportFilter } from './export-filter.ts';
import { pointsOfClasses } from './exports.sql.ts';
import { exportFormatNames, takesSplit, type ExportFormat } from './export-format.ts';
import { splitFault, type Split } from './split.ts';

/** What an export is asked for. */
export interface ExportOptions {
  filter: ExportFilter;
  format: ExportFormat;
  split: Split | null;
}

/** Refuses options that don't fit each other or the project. Throws ValidationError. */
export async function checkExport(
  ctx: SignedInContext,
  projectId: string,
  { filter, format, split }: ExportOptions,
): Promise<void> {
  const problems: FieldProblem[] = [];
  const problem = (field: string, message: string): void =>
    void problems.push({ path: [field], message, code: 'VALIDATION_ERROR' });
  if (format === 'YOLO_POSE' && (await pointsOfClasses.rows(ctx.db, { projectId })).length === 0)
    problem('format', `${exportFormatNames[format]} needs annotations of the shape POINTS`);
  if (split) {
    const fault = splitFault(split) ?? (await unknownDataset(ctx, projectId, split));
    if (!takesSplit(format))
      problem('split', `does not fit the format ${exportFormatNames[format]}`);
    else if (filter === 'CONFIG_ONLY')
      problem('split', 'does not fit ConfigOnly: it has no images');
    else if (fault !== undefined) problem('split', fault);
  }
  if (problems.length > 0)
    throw new ValidationError(
      problems,
      problems.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '),
    );
}

async function unknownDataset(
  ctx: SignedInContext,
  projectId: string,
  split: Split,
): Promise<string | undefined> {
  if (!('datasets' in split)) return undefined;
  const ids = Object.keys(split.datasets);
  const found = await ctx.db.prisma.projectDataset.findMany({
    where: { projectId, datasetId: { in: ids }, dataset: { deletedAt: null } },
    select: { datasetId: true },
  });
  const known = new Set(found.map(({ datasetId }) => datasetId));
  const unknown = ids.find((id) => !known.has(id));
  return unknown === undefined ? undefined : `names ${unknown}, which is no dataset of the project`;
}
