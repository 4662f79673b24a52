import type { SignedInContext } from '../../core/context/context.ts';
import { loaderById } from '../../core/lists/load-by-id.ts';
import { projectCounts } from './projects.sql.ts';

export interface ProjectCounts {
  images: number;
  users: number;
}

const loader = loaderById(
  ({ reads }: SignedInContext, ids: readonly string[]) => projectCounts.rows(reads, { ids }),
  // REST reads a thousand at once.
  { cache: false },
);

/** Number of images and members of a project that the viewer may see; one statement for a whole page (F219). */
export async function countProject(
  ctx: SignedInContext,
  projectId: string,
): Promise<ProjectCounts> {
  return (await loader(ctx).load(projectId)) ?? { images: 0, users: 0 };
}
