import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../core/context/context.ts';
import { readList } from '../../core/lists/read-list.ts';
import { versionList, type DatasetVersion } from './dataset-version.ts';

interface Numbered {
  datasetId: string;
  number: number;
}

/** Never cached, like those by id. */
const loader = perRequest(
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
  return loader(ctx).load(numbered);
}
