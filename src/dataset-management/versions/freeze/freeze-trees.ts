import { hash } from 'node:crypto';
import type { Services } from '../../../core/context/context.ts';
import type { Database } from '../../../core/database/db.ts';
import { listAnnotationClasses } from '../../projects/annotations/list-annotation-classes.ts';
import { newestTree, oldestUnseen, seeOneSnapshot, touchedSince } from './versions.sql.ts';
import { canonicalJson } from './canonical-json.ts';
import type { ClaimedVersion } from './claimed-version.ts';
import { storeItems } from './freeze-items.ts';
import { catchUp, type Growing } from './freeze-tree.ts';
import type { FrozenClasses } from './frozen-content.ts';
import { FrozenTree } from './frozen-tree.ts';

type FreezeServices = Pick<Services, 'db' | 'clock'>;

/** Images that the last transaction freezes at most; where more have changed, it is tried again without a transaction. */
const LAST = 1_000;
/** Images that it looks at at most, because they may have changed. */
const MOST_TOUCHED = 10_000;
/** After so many times the last transaction freezes whatever has changed: writers who never rest do not delay it for ever. */
const TRIES = 10;

/**
 * Freezes what is there: first in batches, which hold up nobody; then the few images that have changed since, in one
 * transaction with one snapshot of the database, whose instant the version shows. Throws the reason of the signal.
 */
export async function freezeTrees(
  services: FreezeServices,
  version: ClaimedVersion,
  signal: AbortSignal,
): Promise<void> {
  const { db } = services;
  const pause = (): void => signal.throwIfAborted();
  const trees = new Map<string, Growing>();
  for (let attempt = 1; ; attempt++) {
    const { xid: since = 0 } = (await oldestUnseen.first(db, {})) ?? {};
    for (const ofId of await subjectsOf(db, version)) {
      const growing = trees.get(ofId) ?? (await grow(db, version.datasetId, ofId));
      trees.set(ofId, growing);
      while ((await catchUp(db, growing, { pause })) > LAST) pause();
    }
    const chunks = new Map([...trees].map(([ofId, { tree }]) => [ofId, tree.chunks]));
    try {
      const atAnyCost = attempt >= TRIES;
      if (await settle(services, version, { trees, since: atAnyCost ? undefined : since })) return;
    } catch (error) {
      pause();
      if (attempt >= TRIES) throw error;
      // Rolled back, as where another transaction changed the same rows: the chunks that it made are gone.
      for (const [ofId, ids] of chunks)
        trees.set(ofId, {
          subject: { datasetId: version.datasetId, ofId },
          tree: await FrozenTree.read(db, version.datasetId, ids),
        });
    }
  }
}

/** The dataset, then the projects whose annotations are frozen. */
async function subjectsOf(
  db: Pick<Database, 'prisma'>,
  { datasetId, onlyProject }: ClaimedVersion,
): Promise<string[]> {
  const assigned = await db.prisma.projectDataset.findMany({
    where: {
      datasetId,
      project: { deletedAt: null, ...(onlyProject !== null && { id: onlyProject }) },
    },
    select: { projectId: true },
    orderBy: { projectId: 'asc' },
  });
  return [datasetId, ...assigned.map(({ projectId }) => projectId)];
}

/** Begins with the tree of the newest version that has one. */
async function grow(db: Database, datasetId: string, ofId: string): Promise<Growing> {
  const subject = { datasetId, ofId };
  const newest = await newestTree.first(db, subject);
  return { subject, tree: await FrozenTree.read(db, datasetId, newest?.chunks ?? []) };
}

interface WrittenTree {
  versionId: string;
  ofId: string;
  classes: bigint | null;
  chunks: bigint[];
}

/**
 * Freezes the rest, and writes the trees; false where too much has changed meanwhile. The transaction with the snapshot does
 * not write the row of the version: PostgreSQL would roll it back, because the claim has been renewed since.
 */
async function settle(
  { db, clock }: FreezeServices,
  version: ClaimedVersion,
  grown: Grown,
): Promise<boolean> {
  const data = await freezeRest(db, version, grown);
  if (!data) return false;
  await db.transaction(async (_, tx) => {
    await tx.prisma.versionTree.createMany({ data });
    const { id, runner } = version;
    const { count } = await tx.prisma.datasetVersion.updateMany({
      where: { id, runner, state: 'FREEZING', deletedAt: null },
      data: { frozenAt: new Date(clock()) },
    });
    if (count === 0) throw new Error('the version is gone, or another gateway freezes it');
  });
  return true;
}

/** What was frozen without a transaction. */
interface Grown {
  trees: ReadonlyMap<string, Growing>;
  /** The oldest transaction that may have changed something since; undefined to look at everything again. */
  since: number | undefined;
}

/** The trees as they are in one snapshot; undefined where too much has changed. */
async function freezeRest(
  db: Database,
  version: ClaimedVersion,
  { trees, since }: Grown,
): Promise<WrittenTree[] | undefined> {
  return db.transaction(async (_, tx) => {
    await seeOneSnapshot.rows(tx, {});
    const { id, datasetId } = version;
    const subjects = await subjectsOf(tx, version);
    if (subjects.some((ofId) => !trees.has(ofId))) return undefined;
    const which = { datasetId, projectIds: subjects, xid: since ?? 0, limit: MOST_TOUCHED };
    const touched = since === undefined ? undefined : await touchedSince.rows(tx, which);
    if (touched?.length === MOST_TOUCHED) return undefined;
    const written: WrittenTree[] = [];
    let changed = 0;
    for (const ofId of subjects) {
      const growing = trees.get(ofId);
      if (!growing) return undefined;
      if (touched) {
        const here = touched.filter(({ projectId }) => projectId === null || projectId === ofId);
        changed += await catchUp(tx, growing, { touched: here, most: LAST - changed });
        if (changed >= LAST) return undefined;
      } else await catchUp(tx, growing);
      const classes = ofId === datasetId ? undefined : await freezeClasses(tx, growing.subject);
      written.push({
        versionId: id,
        ofId,
        classes: classes === undefined ? null : BigInt(classes),
        chunks: growing.tree.chunks.map(BigInt),
      });
    }
    return written;
  });
}

async function freezeClasses(
  db: Database,
  subject: Growing['subject'],
): Promise<number | undefined> {
  const classes = await listAnnotationClasses({ db }, subject.ofId);
  const project: FrozenClasses = { id: subject.ofId, classes };
  const content = canonicalJson({ project });
  const stamp = hash('sha256', content).slice(0, 32);
  const [id] = await storeItems(db, subject, [
    { image_id: null, created_date: new Date(0), stamp, content },
  ]);
  return id;
}
