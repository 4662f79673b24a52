import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../core/context/context.ts';
import { datasetCounts } from '../content/content.sql.ts';

export interface DatasetCounts {
  images: number;
  projects: number;
}

const loader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<string, DatasetCounts>(
      async (ids) => {
        const rows = await datasetCounts.rows(ctx.db, { ids });
        const counts = new Map(rows.map((row) => [row.id, row]));
        return ids.map((id) => counts.get(id) ?? { images: 0, projects: 0 });
      },
      { cache: false },
    ),
);

/** Number of images and projects in a dataset that the viewer may see; one statement for a whole page (F205). */
export function countDataset(ctx: SignedInContext, datasetId: string): Promise<DatasetCounts> {
  return loader(ctx).load(datasetId);
}
