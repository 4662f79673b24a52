import DataLoader from 'dataloader';
import { perRequest, type Context } from '../../core/context/context.ts';

export interface DatasetCounts {
  images: number;
  projects: number;
}

const loader = perRequest(
  (ctx) =>
    new DataLoader<string, DatasetCounts>(
      async (ids) => {
        const rows = await ctx.db.rows(
          `SELECT d.id, (SELECT count(*) FROM image i WHERE i.dataset_id = d.id AND i.deleted_at IS NULL),
             (SELECT count(*) FROM project_dataset pd JOIN project p ON p.id = pd.project_id AND p.deleted_at IS NULL WHERE pd.dataset_id = d.id)
           FROM unnest($1::uuid[]) d (id)`,
          [[...ids]],
        );
        const counts = new Map(
          rows.map(([id, images, projects]) => [
            id,
            { images: Number(images), projects: Number(projects) },
          ]),
        );
        return ids.map((id) => counts.get(id) ?? { images: 0, projects: 0 });
      },
      { cache: false },
    ),
);

/** Live images and projects of a dataset that the viewer has been given; one statement for a whole page (F205). */
export function countDataset(ctx: Context, datasetId: string): Promise<DatasetCounts> {
  return loader(ctx).load(datasetId);
}
