import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../core/context/context.ts';
import { projectCounts } from './projects.sql.ts';

export interface ProjectCounts {
  images: number;
  users: number;
}

const loader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<string, ProjectCounts>(
      async (ids) => {
        const rows = await projectCounts.rows(ctx.db, { ids });
        const counts = new Map(rows.map((row) => [row.id, row]));
        return ids.map((id) => counts.get(id) ?? { images: 0, users: 0 });
      },
      { cache: false },
    ),
);

/** Number of images and members of a project that the viewer may see; one statement for a whole page (F219). */
export function countProject(ctx: SignedInContext, projectId: string): Promise<ProjectCounts> {
  return loader(ctx).load(projectId);
}
