import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { pagesBelow } from '../../core/lists/pages-below.ts';
import { loaderById } from '../../core/lists/load-by-id.ts';
import { readList } from '../../core/lists/read-list.ts';
import { isUuid } from '../../core/uuid.ts';
import { requireRight } from '../workspaces/workspace.ts';
import { versionList, type DatasetVersion } from './dataset-version.ts';

/** A page of the versions of a dataset, newest first. GraphQL `Dataset.versions`. */
export const pageVersions = pagesBelow(({ viewer }, dataset) => versionList(viewer, { dataset }));

/** Never cached: a version gets ready while a client asks for it again and again. */
const loader = loaderById(
  (ctx: SignedInContext, ids: readonly string[]) =>
    readList(ctx, versionList(ctx.viewer, { ids: ids.filter(isUuid) })),
  { cache: false, maxBatchSize: 500 },
);

/** The version if the viewer is a member of its workspace, else null. GraphQL `node`. */
export function loadVersion(ctx: SignedInContext, id: string): Promise<DatasetVersion | null> {
  return loader(ctx).load(id);
}

/** The same, or NotFoundError; ForbiddenError if the role lacks the given right. */
export async function requireVersion(
  ctx: SignedInContext,
  id: string,
  right?: 'change',
): Promise<DatasetVersion> {
  const version = await loadVersion(ctx, id);
  if (!version) throw new NotFoundError('DatasetVersion');
  if (right) requireRight(version, right);
  return version;
}

interface Numbered {
  datasetId: string;
  number: number;
}

/** Not cached either. */
const numberedLoader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<Numbered, DatasetVersion | null>(
      async (numbered) => {
        const found = await readList(ctx, versionList(ctx.viewer, { numbered }));
        return numbered.map(
          ({ datasetId, number }) =>
            found.find((one) => one.datasetId === datasetId && one.number === number) ?? null,
        );
      },
      { cache: false, maxBatchSize: 100 },
    ),
);

/** The version of a dataset with a number, or null. GraphQL `Dataset.versionByNumber`. */
export function findVersion(
  ctx: SignedInContext,
  numbered: Numbered,
): Promise<DatasetVersion | null> {
  return numberedLoader(ctx).load(numbered);
}
