import DataLoader from 'dataloader';
import { perRequest, type Context } from '../../core/context/context.ts';

export interface ProjectCounts {
  images: number;
  users: number;
}

const loader = perRequest(
  (ctx) =>
    new DataLoader<string, ProjectCounts>(
      async (ids) => {
        const rows = await ctx.db.rows(
          `SELECT p.id, (SELECT count(*) FROM project_dataset pd JOIN dataset d ON d.id = pd.dataset_id AND d.deleted_at IS NULL
                           JOIN image i ON i.dataset_id = d.id AND i.deleted_at IS NULL WHERE pd.project_id = p.id),
             (SELECT count(*) FROM project_member pm WHERE pm.project_id = p.id)
           FROM unnest($1::uuid[]) p (id)`,
          [[...ids]],
        );
        const counts = new Map(
          rows.map(([id, images, users]) => [id, { images: Number(images), users: Number(users) }]),
        );
        return ids.map((id) => counts.get(id) ?? { images: 0, users: 0 });
      },
      { cache: false },
    ),
);

/** Live images and members of a project that the viewer has been given; one statement for a whole page (F219). */
export function countProject(ctx: Context, projectId: string): Promise<ProjectCounts> {
  return loader(ctx).load(projectId);
}
