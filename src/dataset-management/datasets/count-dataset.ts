import type { SignedInContext } from '../../core/context/context.ts';
import { loaderById, uncached } from '../../core/lists/load-by-id.ts';
import { datasetCounts } from '../content/content.sql.ts';

export interface DatasetCounts {
  images: number;
  projects: number;
}

const loader = loaderById(
  ({ reads }: SignedInContext, ids: readonly string[]) => datasetCounts.rows(reads, { ids }),
  uncached,
);

/** Number of images and projects in a dataset that the viewer may see; one statement for a whole page (F205). */
export async function countDataset(
  ctx: SignedInContext,
  datasetId: string,
): Promise<DatasetCounts> {
  return (await loader(ctx).load(datasetId)) ?? { images: 0, projects: 0 };
}
