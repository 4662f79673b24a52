import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import type { Database } from '../../core/database/db.ts';
import { NotFoundError } from '../../core/errors.ts';
import { forgetDatasets, requireDataset } from '../datasets/load-dataset.ts';
import { shareDataset, shareWorkspaceOf } from '../content/content.sql.ts';
import { tellDeletion } from '../content/delete-softly.ts';
import { readUndoToken, UNDO_MS, type Deletion, type UndoKind } from '../content/undo-token.ts';
import { forgetWorkspaces, requireWorkspace } from '../workspaces/load-workspace.ts';
import { forgetImages, requireImage } from '../images/load-image.ts';
import { requireVersion } from '../versions/load-version.ts';
import { forgetProjects, requireProject } from '../projects/load-project.ts';

/**
 * Restores one row that was deleted at an instant, if the user has the right; returns how many. Plain images never come
 * back into a workspace that was encrypted since.
 */
async function restore(
  { workspace, dataset, image, project, datasetVersion }: Database['prisma'],
  { kind, id, deletedAt }: Deletion,
  userId: number,
): Promise<number> {
  const where = { id, deletedAt };
  const data = { deletedAt: null };
  const changeable = {
    deletedAt: null,
    members: { some: { userId, role: { not: 'ANNOTATOR' } } },
  };
  const plain = { ...changeable, encrypted: false };
  const encrypted = { ...changeable, encrypted: true };
  const draft = { deletedAt: null, status: 'DRAFT' };
  const restored = await {
    workspace: () =>
      workspace.updateMany({
        where: { ...where, members: { some: { userId, role: 'OWNER' } } },
        data,
      }),
    dataset: () =>
      dataset.updateMany({
        where: {
          ...where,
          OR: [
            { workspace: plain, images: { none: { deletedAt: null, mimeType: null } } },
            {
              workspace: encrypted,
              images: { none: { deletedAt: null, mimeType: { not: null } } },
            },
          ],
        },
        data,
      }),
    image: () =>
      image.updateMany({
        where: {
          ...where,
          OR: [
            { dataset: { ...draft, workspace: plain }, mimeType: { not: null } },
            { dataset: { ...draft, workspace: encrypted }, mimeType: null },
          ],
        },
        data,
      }),
    project: () => project.updateMany({ where: { ...where, workspace: changeable }, data }),
    version: () =>
      datasetVersion.updateMany({
        where: { ...where, dataset: { deletedAt: null, workspace: changeable } },
        data,
      }),
  }[kind]();
  return restored.count;
}

/**
 * Restores what was deleted in the last 30 days (D-66). GraphQL `undoDelete`. Throws NotFoundError, even if only a
 * right is missing.
 */
export async function undoDelete(
  ctx: SignedInContext,
  args: { undoToken: string },
): Promise<{ kind: UndoKind; id: string }> {
  const viewer = ctx.viewer;
  const deletion = readUndoToken(args.undoToken);
  if (!deletion || ctx.clock() - deletion.deletedAt.getTime() > UNDO_MS)
    throw new NotFoundError('Deletion');
  const { kind, id } = deletion;
  const { userId } = viewer;
  tellDeletion(ctx, kind, id);
  await inTransaction(ctx, async ({ db }) => {
    await shareWorkspaceOf.rows(db, { id });
    const image = kind === 'image' && (await db.prisma.image.findUnique({ where: { id } }));
    if (image) await shareDataset.rows(db, { id: image.datasetId, userId });
    if ((await restore(db.prisma, deletion, userId)) === 0) throw new NotFoundError('Deletion');
  });
  forgetWorkspaces(ctx);
  forgetDatasets(ctx);
  forgetImages(ctx);
  forgetProjects(ctx);
  await {
    workspace: requireWorkspace,
    dataset: requireDataset,
    image: requireImage,
    project: requireProject,
    version: requireVersion,
  }[kind](ctx, id);
  return { kind, id };
}
