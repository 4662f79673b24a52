import type { SignedInContext } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { loaderById } from '../../core/lists/load-by-id.ts';
import { readList } from '../../core/lists/read-list.ts';
import { isUuid } from '../../core/uuid.ts';
import { requireRight } from '../workspaces/workspace.ts';
import { imageList, type DatasetImage } from './image.ts';

const loader = loaderById((ctx: SignedInContext, ids: readonly string[]) =>
  readList(ctx, imageList(ctx.viewer, { ids: ids.filter(isUuid) })),
);

/** The image if the viewer is a member of its workspace, else null. GraphQL `image`, `node`. */
export function loadImage(ctx: SignedInContext, id: string): Promise<DatasetImage | null> {
  return loader(ctx).load(id);
}

/** The same, or NotFoundError; ForbiddenError if the role lacks the given right. */
export async function requireImage(
  ctx: SignedInContext,
  id: string,
  right?: 'change',
): Promise<DatasetImage> {
  const image = await loadImage(ctx, id);
  if (!image) throw new NotFoundError('Image');
  if (right) requireRight(image, right);
  return image;
}

/** Forgets what this request read before a write. */
export function forgetImages(ctx: SignedInContext): void {
  loader(ctx).clearAll();
}
