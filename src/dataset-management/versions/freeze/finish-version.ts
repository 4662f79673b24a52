import { createHash } from 'node:crypto';
import type { Services } from '../../../core/context/context.ts';
import type { Database } from '../../../core/database/db.ts';
import { beginWrite } from '../../../core/sql/writes.sql.ts';
import type { VersionTreeModel } from '../../../generated/prisma/models.ts';
import { chunkHashes } from './frozen.sql.ts';
import { itemTexts } from './versions.sql.ts';
import type { ClaimedVersion } from './claimed-version.ts';

/** Chunks whose hashes are read at once. */
const AT_ONCE = 16;

interface Summary {
  digest: string;
  images: number;
  annotations: number;
}

/**
 * Ends a version that still belongs to this gateway. In a domain that was locked it is left as it is, and frozen again when
 * that is open.
 */
export async function endVersion(
  db: Database,
  { id, runner, domainId }: ClaimedVersion,
  end: { state: 'FAILED' } | (Summary & { state: 'READY' }),
): Promise<void> {
  await db.transaction(async (_, tx) => {
    await beginWrite.rows(tx, { domainId });
    await tx.prisma.datasetVersion.updateMany({
      where: {
        ...{ id, runner, state: 'FREEZING' },
        dataset: { workspace: { domain: { state: 'OPEN' } } },
      },
      data: end,
    });
  });
}

/** Counts what is frozen, computes the digest, and makes the version READY. Throws the reason of the signal. */
export async function finishVersion(
  { db }: Pick<Services, 'db'>,
  version: ClaimedVersion,
  signal: AbortSignal,
): Promise<void> {
  const { id, datasetId } = version;
  const trees = await treesOf(db, id);
  const summary =
    (await summaryOfSame(db, datasetId, trees)) ?? (await summarise(db, datasetId, trees, signal));
  await endVersion(db, version, { ...summary, state: 'READY' });
}

/** The trees of a version: that of its images first, then those of projects by their ids. */
export async function treesOf(
  db: Pick<Database, 'prisma'>,
  versionId: string,
): Promise<VersionTreeModel[]> {
  const version = await db.prisma.datasetVersion.findUnique({
    where: { id: versionId },
    include: { trees: { orderBy: { ofId: 'asc' } } },
  });
  const { trees = [], datasetId } = version ?? {};
  return [
    ...trees.filter(({ ofId }) => ofId === datasetId),
    ...trees.filter(({ ofId }) => ofId !== datasetId),
  ];
}

/** That of the version before, if nothing has changed since. */
async function summaryOfSame(
  db: Pick<Database, 'prisma'>,
  datasetId: string,
  trees: readonly VersionTreeModel[],
): Promise<Summary | undefined> {
  const before = await db.prisma.datasetVersion.findFirst({
    where: { datasetId, state: 'READY', deletedAt: null },
    orderBy: { number: 'desc' },
  });
  if (!before?.digest || textOf(await treesOf(db, before.id)) !== textOf(trees)) return undefined;
  const { digest, images, annotations } = before;
  return { digest, images, annotations };
}

function textOf(trees: readonly VersionTreeModel[]): string {
  return trees.map(({ ofId, classes, chunks }) => [ofId, classes, ...chunks].join(' ')).join('\n');
}

async function summarise(
  db: Database,
  datasetId: string,
  trees: readonly VersionTreeModel[],
  signal: AbortSignal,
): Promise<Summary> {
  const hash = createHash('sha256');
  let [images, annotations] = [0, 0];
  for (const { ofId, classes, chunks } of trees) {
    if (classes !== null)
      for (const row of await itemTexts.rows(db, { ids: [Number(classes)] }))
        hash.update(`${row.hash.toString('hex')}\n`);
    for (let at = 0; at < chunks.length; at += AT_ONCE) {
      signal.throwIfAborted();
      const ids = chunks.slice(at, at + AT_ONCE).map(Number);
      for (const row of await chunkHashes.rows(db, { ids })) {
        hash.update(`${row.hash.toString('hex')}\n`);
        if (ofId === datasetId) images++;
        annotations += row.annotations;
      }
    }
  }
  return { digest: hash.digest('hex'), images, annotations };
}
