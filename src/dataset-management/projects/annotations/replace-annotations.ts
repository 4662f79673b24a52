import { randomUUID } from 'node:crypto';
import type { Database } from '../../../core/database/db.ts';
import { inBatches } from '../../content/in-batches.ts';
import { insertAnnotations, sameAnnotations, setReview } from '../projects.sql.ts';
import { storedAttributes, type Attributes } from './attributes.ts';
import type { CocoExtra } from './coco-extra.ts';
import type { AnnotationInput, AnnotationShape } from './geometry.ts';
import type { ReviewState } from '../../images/page-images.ts';

/** Annotations that one image of one project may have. */
export const MAX_ANNOTATIONS = 2000;
/** Their bytes together, as JSON: they are in memory together, and take several times as many. */
export const MAX_ANNOTATION_BYTES = 32 * 1024 * 1024;
/** How much of it is sent to the database at once: others are answered in between. */
const BATCH = { weight: 2 * 1024 * 1024 };

/** What is stored of an annotation beside its class. */
export interface WrittenAnnotation {
  shape: AnnotationShape;
  geometry: unknown;
  /** What a COCO file says besides. */
  coco?: CocoExtra | undefined;
  attributes?: Attributes | null | undefined;
}

/** What is stored of an annotation that was checked. */
export function toWritten({
  shape,
  geometry = null,
  attributes,
}: Omit<AnnotationInput, 'className'>): WrittenAnnotation {
  return { shape, geometry, attributes: storedAttributes(attributes) };
}

export interface AnnotatedImage {
  projectId: string;
  imageId: string;
  /** Checked, with classes of the project; what is written of many is JSON already. */
  annotations: readonly { class_id: string; written: WrittenAnnotation | string }[];
  state: Exclude<ReviewState, 'NONE'>;
  /** States that stay where the annotations do; `state` alone if left out. */
  stays?: readonly ReviewState[];
  /** Null if it is not a person. */
  userId: number | null;
  now: Date;
}

/**
 * Replaces the annotations of an image in a project and sets its review state; rows that are already right stay.
 * Returns whether the annotations were others. Must run in a transaction that has locked the image.
 */
export async function replaceAnnotations(
  db: Pick<Database, 'prisma' | 'rows'>,
  { projectId, imageId, annotations, state, stays = [state], userId, now }: AnnotatedImage,
): Promise<boolean> {
  const key = { projectId, imageId };
  // Ascending ids keep the order in which the annotations were given.
  const ids = annotations.map(() => randomUUID()).sort();
  const given = annotations.map(({ class_id, written }, index) => {
    const text = typeof written === 'string' ? written : JSON.stringify(written);
    return `${text.slice(0, -1)},"class_id":"${class_id}","id":"${ids[index]}"}`;
  });
  const batches = [...inBatches(given, BATCH, ({ length }) => length)];
  const changed = !(await hasAnnotations(db, key, batches, given.length));
  if (changed) {
    await db.prisma.annotation.deleteMany({ where: key });
    for (const batch of batches)
      await insertAnnotations.rows(db, { ...key, annotations: batch, userId, now });
  }
  await setReview.rows(db, { ...key, state, userId, now, work: true, changed, stays });
  return changed;
}

/** Has an image exactly these annotations, `all` in total? */
async function hasAnnotations(
  db: Pick<Database, 'rows'>,
  key: { projectId: string; imageId: string },
  batches: readonly string[][],
  all: number,
): Promise<boolean> {
  let skip = 0;
  for (const annotations of all === 0 ? [[]] : batches) {
    const found = await sameAnnotations.first(db, { ...key, annotations, all, skip });
    if (!found?.same) return false;
    skip += annotations.length;
  }
  return true;
}
