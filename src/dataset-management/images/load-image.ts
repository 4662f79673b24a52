import DataLoader from 'dataloader';
import { requireViewer } from '../../auth/guards.ts';
import { perRequest, type Context } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { readList } from '../../core/lists/read-list.ts';
import { requireRight } from '../workspaces/workspace.ts';
import { imageList, type DatasetImage } from './image.ts';

const loader = perRequest(
  (ctx) =>
    new DataLoader<string, DatasetImage | null>(async (ids) => {
      const found = await readList(
        ctx,
        imageList(requireViewer(ctx), (params) => `i.id = ANY (${params.add([...ids])}::uuid[])`),
      );
      const byId = new Map(found.map((image) => [image.id, image]));
      return ids.map((id) => byId.get(id) ?? null);
    }),
);

/** The image if the viewer is a member of its workspace, else null. GraphQL `image`, `node`. */
export async function loadImage(ctx: Context, id: string): Promise<DatasetImage | null> {
  requireViewer(ctx);
  return loader(ctx).load(id);
}

/** The same or NotFoundError; with a right that the role lacks, ForbiddenError. */
export async function requireImage(
  ctx: Context,
  id: string,
  right?: 'change',
): Promise<DatasetImage> {
  const image = await loadImage(ctx, id);
  if (!image) throw new NotFoundError('Image');
  if (right) requireRight(image, right);
  return image;
}

/** Forgets what was read before a write of this request. */
export function forgetImages(ctx: Context): void {
  loader(ctx).clearAll();
}
