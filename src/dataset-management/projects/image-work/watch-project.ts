import type { SignedInContext } from '../../../core/context/context.ts';
import { NotFoundError } from '../../../core/errors.ts';
import type { EventStream } from '../../../core/streams/event-stream.ts';
import { lookAgain } from '../../../core/streams/look-again.ts';
import { forgetProjects, loadProject, requireProject } from '../load-project.ts';
import type { Project } from '../project.ts';
import { projectChanges, projectPosition } from '../projects.sql.ts';

/** How often changes are looked for, in milliseconds. */
const LOOK_EVERY = 1000;
/** Images that one event names; where more have changed, it says so. */
export const MOST_IMAGES = 200;

export interface ProjectChange {
  project: Project;
  /** Those whose work has changed, each once. */
  imageIds: string[];
  /** More have changed than are named. */
  more: boolean;
}

/**
 * What changes in a project, from now on: itself, its classes, and the work on its images. Changes that come together are
 * one event, so that a slow reader gets few large ones. Ends when the project is deleted, or the viewer is no member any
 * more. GraphQL `projectChanged`. Throws NotFoundError; E202 when the session ends, E902 for too many streams.
 */
export async function watchProject(
  ctx: SignedInContext,
  args: { projectId: string },
): Promise<EventStream<ProjectChange>> {
  const project = await requireProject(ctx, args.projectId);
  const key = { projectId: project.id, userId: ctx.viewer.userId };
  let at = await projectPosition.first(ctx.db, key);
  if (!at) throw new NotFoundError('Project');
  const look = async (): Promise<ProjectChange | null | undefined> => {
    if (!at) return undefined;
    const before = at;
    // The position first: what commits between the two is told now, and once more.
    at = await projectPosition.first(ctx.db, key);
    if (!at) return undefined;
    const { snapshot } = before;
    const rows =
      snapshot === at.snapshot
        ? []
        : await projectChanges.rows(ctx.db, { ...key, snapshot, limit: MOST_IMAGES + 1 });
    if (rows.length === 0 && before.version === at.version) return null;
    forgetProjects(ctx);
    const now = await loadProject(ctx, project.id);
    // It has gone since: then the next look finds no position.
    if (!now) return null;
    return {
      project: now,
      imageIds: rows.slice(0, MOST_IMAGES).map(({ imageId }) => imageId),
      more: rows.length > MOST_IMAGES,
    };
  };
  return lookAgain(ctx, { every: LOOK_EVERY, look });
}
