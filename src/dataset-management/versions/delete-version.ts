import type { SignedInContext } from '../../core/context/context.ts';
import { deleteSoftly } from '../content/delete-softly.ts';
import { requireVersion } from './load-version.ts';

/**
 * Deletes a version softly; it can be brought back for 30 days, then what no other version has is removed. Its number is
 * not given again. Returns the token that undoes it. GraphQL `deleteDatasetVersion`. Throws NotFoundError, ForbiddenError.
 */
export async function deleteVersion(
  ctx: SignedInContext,
  args: { versionId: string },
): Promise<string> {
  const { id } = await requireVersion(ctx, args.versionId, 'change');
  return deleteSoftly(ctx, 'version', id);
}
