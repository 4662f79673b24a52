import type { SignedInContext } from '../../../core/context/context.ts';
import { pagesBelow, type PageBelow } from '../../../core/lists/pages-below.ts';
import type { Connection, PageRequest } from '../../../core/lists/pagination.ts';
import { refusal } from '../../envelope/dataset-errors.ts';
import type { DatasetVersion } from '../dataset-version.ts';
import { versionChanges } from '../freeze/versions.sql.ts';
import { requireVersion } from '../load-version.ts';
import type { VersionChange } from './version-change.ts';

const pageChanges = pagesBelow(
  ({ viewer }, version, { since }: PageBelow & { since: string | null }) =>
    versionChanges.query(
      { viewer, version, since },
      ({ versionId, sinceId, ...row }): VersionChange => ({
        ...row,
        versions: { before: sinceId, after: versionId },
      }),
      (change) => [change.createdDate, change.imageId],
    ),
);

/**
 * The images that were added, removed or changed in a version since another one of the dataset, or since the one before,
 * by age; an image counts as changed where its annotations are others, too. Nothing while the version is not ready.
 * GraphQL `DatasetVersion.changes`. Throws ValidationError, NotFoundError.
 */
export async function listChanges(
  ctx: SignedInContext,
  version: DatasetVersion,
  { since, page }: { since: string | undefined; page: PageRequest },
): Promise<Connection<VersionChange>> {
  if (since !== undefined) {
    const { datasetId, number, state } = await requireVersion(ctx, since);
    if (datasetId !== version.datasetId)
      throw refusal('VALIDATION_ERROR', 'since', 'is a version of another dataset');
    if (state !== 'READY')
      throw refusal('VALIDATION_ERROR', 'since', `version ${number} is ${state}`);
  }
  return pageChanges(ctx, { parent: version.id, page, since: since ?? null });
}
