import { tellAct, tellObject } from '../../../core/context/act.ts';
import { inTransaction } from '../../../core/context/in-transaction.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { foldLogin, isStorable } from '../../../core/text.ts';
import { requireDataset } from '../../datasets/load-dataset.ts';
import { refusal } from '../../envelope/dataset-errors.ts';
import { requireProject } from '../load-project.ts';
import type { Project } from '../project.ts';
import { assignImagesTo, lockProject, shareProject, unassignedImages } from '../projects.sql.ts';

/** Images that one call assigns by their ids, and by their number. */
const MOST_IDS = 1000;
const MOST_NEXT = 10_000;

export interface AssignImages {
  projectId: string;
  /** Of a member of the workspace; null takes the images back. */
  login: string | null;
  /** These images of the project … */
  imageIds?: readonly string[] | undefined;
  /** … or the oldest images of a dataset that are neither assigned nor annotated. */
  next?: { datasetId: string; count: number } | undefined;
}

/**
 * Assigns images of a project to a member of its workspace, or takes them back; of two calls at once the second finds what
 * the first has left. Returns the project and how many images it were. GraphQL `assignImages`. Throws ValidationError,
 * NotFoundError, ForbiddenError.
 */
export async function assignImages(
  ctx: SignedInContext,
  args: AssignImages,
): Promise<{ project: Project; assigned: number }> {
  const project = await requireProject(ctx, args.projectId, 'change');
  const { imageIds, next } = args;
  if ((imageIds === undefined) === (next === undefined))
    throw refusal('VALIDATION_ERROR', 'imageIds', 'send either imageIds or next');
  if (imageIds && imageIds.length > MOST_IDS)
    throw refusal('VALIDATION_ERROR', 'imageIds', `at most ${MOST_IDS}`);
  if (next && (next.count < 1 || next.count > MOST_NEXT))
    throw refusal('VALIDATION_ERROR', 'next', `count is 1 to ${MOST_NEXT}`);
  if (next) await requireDataset(ctx, next.datasetId);
  const assigned = await inTransaction(ctx, async ({ db }) => {
    await lockProject.rows(db, { id: project.id });
    const userId = args.login === null ? null : await memberId(db.prisma, project, args.login);
    // The member stays one until the end of the transaction.
    if (userId !== null && !(await shareProject.first(db, { id: project.id, userId })))
      throw noMember();
    if (userId !== null) tellObject(ctx, 'User', userId);
    const found = next
      ? await unassignedImages.rows(db, { projectId: project.id, ...next })
      : undefined;
    const ids = found?.map(({ id }) => id) ?? imageIds ?? [];
    const rows = await assignImagesTo.rows(db, { projectId: project.id, ids, userId });
    if (imageIds && rows.length < new Set(imageIds).size) throw new NotFoundError('Image');
    tellAct(ctx, { target: `${rows.length} images` });
    return rows.length;
  });
  return { project, assigned };
}

const noMember = () =>
  refusal('VALIDATION_ERROR', 'login', 'no member of the workspace has this login');

async function memberId(
  prisma: SignedInContext['db']['prisma'],
  { workspaceId }: { workspaceId: string },
  given: string,
): Promise<number> {
  const login = foldLogin(given);
  const user = isStorable(login)
    ? await prisma.user.findUnique({
        where: { login, disabledAt: null, workspaces: { some: { workspaceId } } },
        select: { id: true },
      })
    : null;
  if (!user) throw noMember();
  return user.id;
}
