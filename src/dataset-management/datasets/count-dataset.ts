import type { SignedInContext } from '../../core/context/context.ts';
import { loaderById } from '../../core/lists/load-by-id.ts';
import { datasetCounts } from '../content/content.sql.ts';

export interface DatasetCounts {
  images: number;
  projects: number;
}

const loader = loaderById(
  ({ reads }: SignedInContext, ids: readonly string[]) => datasetCounts.rows(reads, { ids }),
  // REST reads a thousand at once.
  { cache: false },
);

/** Number of images and projects in a dataset that the viewer may see; one statement for a whole page (F205). */
export async function countDataset(
  ctx: SignedInContext,
  datasetId: string,
): Promise<DatasetCounts> {
  return (await loader(ctx).load(datasetId)) ?? { images: 0, projects: 0 };
}
