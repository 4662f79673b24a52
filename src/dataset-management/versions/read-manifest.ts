import type { SignedInContext } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { inBatches } from '../content/in-batches.ts';
import { requireVersion } from './load-version.ts';
import { treesOf } from './freeze/finish-version.ts';
import { chunkHashes } from './freeze/frozen.sql.ts';
import { itemTexts } from './freeze/versions.sql.ts';

/** Bytes of contents that are read at once; one that is longer is read alone. */
const AT_ONCE = 1024 * 1024;

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

/** The lines, some at once. */
export async function* linesOf(
  { db }: Pick<SignedInContext, 'db'>,
  versionId: string,
): AsyncGenerator<Buffer> {
  for (const { classes, chunks } of await treesOf(db, versionId)) {
    if (classes !== null) yield await readLines(db, [Number(classes)]);
    for (const chunk of chunks) {
      const items = await chunkHashes.rows(db, { ids: [Number(chunk)] });
      for (const batch of inBatches(items, { weight: AT_ONCE }, ({ length }) => length))
        yield await readLines(
          db,
          batch.map(({ id }) => id),
        );
    }
  }
}

async function readLines(db: SignedInContext['db'], ids: readonly number[]): Promise<Buffer> {
  const rows = await itemTexts.rows(db, { ids });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return Buffer.from(
    ids
      .flatMap((id) => byId.get(id) ?? [])
      .map(({ hash, content }) => `${hash.toString('hex')} ${content}\n`)
      .join(''),
  );
}
