import type { SignedInContext } from '../../../core/context/context.ts';
import { ValidationError, type FieldProblem } from '../../../core/errors.ts';
import type { ExportFilter } from './export-filter.ts';
import { openVersion, type OpenVersion } from '../../versions/open-version.ts';
import { sourceOf } from './open-source.ts';
import { exportFormatNames, takesSplit, type ExportFormat } from './export-format.ts';
import { splitFault, type Split } from './split.ts';

/** What an export is asked for. */
export interface ExportOptions {
  filter: ExportFilter;
  format: ExportFormat;
  split: Split | null;
  /** A version of a dataset, by its id, instead of what the project has now. */
  version?: string | null | undefined;
}

/**
 * Refuses options that don't fit each other or the project; returns the version that they name, if any. Throws
 * ValidationError.
 */
export async function checkExport(
  ctx: SignedInContext,
  projectId: string,
  { filter, format, split, version: versionId }: ExportOptions,
): Promise<OpenVersion | undefined> {
  const version = versionId == null ? undefined : await openVersion(ctx, { versionId, projectId });
  const problems: FieldProblem[] = [];
  const problem = (field: string, message: string): void =>
    void problems.push({ path: [field], message, code: 'VALIDATION_ERROR' });
  if (format === 'YOLO_POSE' && (await sourceOf(ctx, projectId, version).points()).size === 0)
    problem('format', `${exportFormatNames[format]} needs annotations of the shape POINTS`);
  if (split) {
    const fault = splitFault(split) ?? (await unknownDataset(ctx, { projectId, version }, split));
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
  return version;
}

async function unknownDataset(
  ctx: SignedInContext,
  { projectId, version }: { projectId: string; version: OpenVersion | undefined },
  split: Split,
): Promise<string | undefined> {
  if (!('datasets' in split)) return undefined;
  const ids = Object.keys(split.datasets);
  if (version) {
    const other = ids.find((id) => id !== version.datasetId);
    return other === undefined ? undefined : `names ${other}, which is not in the version`;
  }
  const found = await ctx.db.prisma.projectDataset.findMany({
    where: { projectId, datasetId: { in: ids }, dataset: { deletedAt: null } },
    select: { datasetId: true },
  });
  const known = new Set(found.map(({ datasetId }) => datasetId));
  const unknown = ids.find((id) => !known.has(id));
  return unknown === undefined ? undefined : `names ${unknown}, which is no dataset of the project`;
}
