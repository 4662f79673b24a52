import type { SignedInContext } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { requireVersion } from './load-version.ts';
import { treesOf } from './freeze/finish-version.ts';
import { chunkContents, itemTexts } from './freeze/frozen.sql.ts';

/** Chunks that are in memory at once. */
const AT_ONCE = 1;

export interface Manifest {
  fileName: string;
  digest: string;
  bytes: AsyncGenerator<Buffer>;
}

/**
 * What a version holds, a line for each item: its SHA-256, a blank, and the item as canonical JSON. The SHA-256 of all
 * these hashes, each with a line feed, is the digest of the version. REST GET /dataset-versions/{versionId}/manifest.
 * Throws NotFoundError, ForbiddenError.
 */
export async function readManifest(
  ctx: SignedInContext,
  args: { versionId: string },
): Promise<Manifest> {
  const { id, number, digest } = await requireVersion(ctx, args.versionId, 'change');
  if (digest === null) throw new NotFoundError('DatasetVersion');
  return { fileName: `version-${number}.manifest`, digest, bytes: linesOf(ctx, id) };
}

async function* linesOf({ db }: SignedInContext, versionId: string): AsyncGenerator<Buffer> {
  for (const { classes, chunks } of await treesOf(db, versionId)) {
    if (classes !== null) yield write(await itemTexts.rows(db, { ids: [Number(classes)] }));
    for (let at = 0; at < chunks.length; at += AT_ONCE)
      yield write(
        await chunkContents.rows(db, { ids: chunks.slice(at, at + AT_ONCE).map(Number) }),
      );
  }
}

function write(items: readonly { hash: Buffer; content: string }[]): Buffer {
  return Buffer.from(
    items.map(({ hash, content }) => `${hash.toString('hex')} ${content}\n`).join(''),
  );
}
