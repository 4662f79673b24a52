import type { Database } from '../../../core/database/db.ts';
import { annotationBytes } from '../../content/content.sql.ts';
import { inBatches } from '../../content/in-batches.ts';
import { differences, placeBehind } from './frozen.sql.ts';
import { freezeNow } from './freeze-items.ts';
import type { Change, FrozenTree } from './frozen-tree.ts';
import { isBefore, type Place, type Span, type Subject } from './place.ts';

/**
 * Images, and chunks of frozen ones, that are compared at once: what a statement takes does not depend on how large the
 * dataset is.
 */
const SPAN = { images: 1_000, chunks: 20 };
/** Images that are read at once, and their annotations. */
const BATCH = { items: 500, weight: 4000 };
/** Bytes of the annotations, as JSON: others are answered between two batches. */
const MOST_BYTES = 1024 * 1024;

/** A tree that is to show what is there. */
export interface Growing {
  subject: Subject;
  tree: FrozenTree;
}

interface Limits {
  /** Only where these images are, or were, in the order of images. */
  touched?: readonly Place[];
  /** Ends after so many changes. */
  most?: number;
  /** Called between statements. */
  pause?: () => void;
}

/** Brings a tree up to date with what is there, one span after the other; returns how many images differed. */
export async function catchUp(
  db: Pick<Database, 'rows'>,
  growing: Growing,
  { touched, most = Number.POSITIVE_INFINITY, pause }: Limits = {},
): Promise<number> {
  let changed = 0;
  const spans = touched ? touchedSpans(growing.tree, touched) : allSpans(db, growing);
  for await (const span of spans)
    for (let [found, limit] = [0, 0]; found === limit; changed += found) {
      limit = Math.min(SPAN.images, most - changed);
      if (limit <= 0) return changed;
      pause?.();
      found = await catchUpSpan(db, growing, { span, limit, pause });
    }
  return changed;
}

/** The spans of some images, each when the tree has taken up those before. */
function* touchedSpans(tree: FrozenTree, touched: readonly Place[]): Generator<Span> {
  let until: Place | undefined;
  for (const place of touched) {
    if (until && !isBefore(until, place)) continue;
    const span = tree.around(place);
    yield span;
    if (!span.until) return;
    until = span.until;
  }
}

async function* allSpans(db: Pick<Database, 'rows'>, growing: Growing): AsyncGenerator<Span> {
  for (let after: Place | undefined; ;) {
    const until = await endOfSpan(db, growing, after);
    yield { after, until };
    if (!until) return;
    after = until;
  }
}

/** Where the span behind a place ends; undefined where all the rest is in it. */
async function endOfSpan(
  db: Pick<Database, 'rows'>,
  { subject, tree }: Growing,
  after: Place | undefined,
): Promise<Place | undefined> {
  const image = await placeBehind.first(db, { subject, after, count: SPAN.images });
  const frozen = tree.endBehind(after, SPAN.chunks);
  return image && frozen && isBefore(frozen, image) ? frozen : (image ?? frozen);
}

async function catchUpSpan(
  db: Pick<Database, 'rows'>,
  { subject, tree }: Growing,
  { span, limit, pause }: { span: Span; limit: number; pause: (() => void) | undefined },
): Promise<number> {
  const found = await differences.rows(db, { subject, span, chunks: tree.within(span), limit });
  const changes = new Map<string, Change>(
    found.map(({ imageId, createdDate }) => [imageId, { imageId, createdDate, id: null }]),
  );
  const there = found.filter(({ annotations }) => annotations >= 0);
  for (const batch of inBatches(there, BATCH, ({ annotations }) => annotations)) {
    pause?.();
    const ids = batch.map(({ imageId }) => imageId);
    const bytes = await bytesOf(db, subject, ids);
    for (const some of inBatches(ids, { weight: MOST_BYTES }, (id) => bytes.get(id) ?? 0))
      for (const item of await freezeNow(db, subject, some)) changes.set(item.imageId, item);
  }
  if (changes.size > 0) await tree.change(db, [...changes.values()]);
  return found.length;
}

/** Bytes of what is frozen of images, of those that may have many. */
async function bytesOf(
  db: Pick<Database, 'rows'>,
  { datasetId, ofId }: Subject,
  imageIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ofId === datasetId) return new Map();
  const rows = await annotationBytes.rows(db, { projectId: ofId, imageIds });
  return new Map(rows.map(({ imageId, bytes }) => [imageId, bytes]));
}
