import type { SignedInContext } from '../../../core/context/context.ts';
import { ValidationError } from '../../../core/errors.ts';
import type { IdempotentAnswer } from '../../../core/context/with-idempotency.ts';
import { refusal } from '../../envelope/dataset-errors.ts';

/**
 * The image that an upload repeats: that of the same path in the dataset, if it has the same bytes. Undefined if the path is
 * free. Throws ValidationError if another image has it.
 */
export async function samePath(
  ctx: SignedInContext,
  { datasetId, path, sha256 }: { datasetId: string; path: string | null; sha256: string },
): Promise<IdempotentAnswer<string> | undefined> {
  if (path === null) return undefined;
  const found = await ctx.db.prisma.image.findFirst({
    where: { datasetId, path, deletedAt: null },
    select: { id: true, blob: { select: { sha256: true } } },
  });
  if (!found) return undefined;
  if (found.blob.sha256 === sha256) return { answer: found.id, replayed: true };
  throw refusal('PATH_TAKEN', 'Path');
}

/** The same by the id that the client has chosen, of an upload without a path. */
export async function sameId(
  ctx: SignedInContext,
  { datasetId, path, sha256 }: { datasetId: string; path: string | null; sha256: string },
  id: string | undefined,
): Promise<IdempotentAnswer<string> | undefined> {
  if (path !== null || id === undefined) return undefined;
  const found = await ctx.db.prisma.image.findFirst({
    where: { id, datasetId, path, deletedAt: null, blob: { sha256 } },
    select: { id: true },
  });
  return found ? { answer: found.id, replayed: true } : undefined;
}

/** Whether a write failed because another image has the path, or the id. */
export function isTaken(error: unknown, column: 'path' | 'id'): boolean {
  return (
    error instanceof ValidationError &&
    error.problems.some(({ code, path }) => code === 'TAKEN' && path.at(-1) === column)
  );
}
