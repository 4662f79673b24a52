import { hash } from 'node:crypto';
import * as z from 'zod';
import type { Database } from '../../../core/database/db.ts';
import type { RowOf } from '../../../core/sql/types.ts';
import { freezeItems, imagesToFreeze, workToFreeze } from './frozen.sql.ts';
import { canonicalJson } from './canonical-json.ts';
import type { FrozenImage, FrozenWork } from './frozen-content.ts';
import type { Place, Subject } from './place.ts';

/** An item and the image that it is of. */
export interface PlacedItem extends Place {
  id: number;
}

interface NewItem {
  image_id: string | null;
  created_date: Date;
  stamp: string;
  content: string;
  blob_id?: string;
  thumb_hash?: string;
  key_number?: number;
  proof?: string | null;
  state?: string;
  annotations?: number;
  points?: Record<string, number> | null;
}

/** Freezes some images, or the work on them, as they are now; those that are gone are not among the result. */
export async function freezeNow(
  db: Pick<Database, 'rows'>,
  subject: Subject,
  imageIds: readonly string[],
): Promise<PlacedItem[]> {
  const { datasetId, ofId } = subject;
  const items =
    ofId === datasetId
      ? (await imagesToFreeze.rows(db, { ids: imageIds })).map(imageItem)
      : (await workToFreeze.rows(db, { projectId: ofId, ids: imageIds })).map((row) =>
          workItem(ofId, row),
        );
  const ids = await storeItems(db, subject, items);
  return items.flatMap(({ image_id, created_date }, at) => {
    const id = ids[at];
    return image_id === null || id === undefined
      ? []
      : [{ id, imageId: image_id, createdDate: created_date }];
  });
}

/** Stores items where they are not stored yet; returns their ids. */
export async function storeItems(
  db: Pick<Database, 'rows'>,
  subject: Subject,
  items: readonly NewItem[],
): Promise<(number | undefined)[]> {
  if (items.length === 0) return [];
  const hashed = items.map((item) => ({ ...item, hash: hash('sha256', item.content) }));
  const stored = await freezeItems.rows(db, { ...subject, items: JSON.stringify(hashed) });
  const ids = new Map(stored.map((item) => [item.hash, item.id]));
  return hashed.map((item) => ids.get(item.hash));
}

function imageItem(row: RowOf<typeof imagesToFreeze.row>): NewItem {
  const { imageId: id, createdDate, stamp, blobId, thumbHash, keyNumber, proof, ...rest } = row;
  const image: FrozenImage = { id, createdAt: createdDate.toISOString(), ...rest };
  return {
    image_id: id,
    created_date: createdDate,
    stamp,
    content: canonicalJson({ image }),
    blob_id: blobId,
    thumb_hash: thumbHash,
    key_number: keyNumber,
    proof,
  };
}

/** As the statement gives it. */
const rawAnnotations = z.array(
  z.tuple([z.string(), z.string(), z.string(), z.unknown(), z.unknown(), z.unknown(), z.number()]),
);

function workItem(projectId: string, row: RowOf<typeof workToFreeze.row>): NewItem {
  const { imageId, createdDate, stamp, state } = row;
  const points: Record<string, number> = {};
  const annotations = rawAnnotations
    .parse(row.annotations)
    .map(([id, classId, shape, geometry, attributes, coco, at]) => {
      if (shape === 'POINTS' && Array.isArray(geometry))
        points[classId] = Math.max(points[classId] ?? 0, Math.floor(geometry.length / 3));
      return {
        id,
        classId,
        shape,
        geometry: geometry ?? null,
        attributes: attributes ?? undefined,
        coco: coco ?? undefined,
        createdAt: new Date(at).toISOString(),
      };
    });
  const work: Omit<FrozenWork, 'annotations'> & { annotations: object[] } = {
    imageId,
    projectId,
    state,
    annotations,
  };
  return {
    image_id: imageId,
    created_date: createdDate,
    stamp,
    content: canonicalJson({ work }),
    state,
    annotations: annotations.length,
    points: Object.keys(points).length > 0 ? points : null,
  };
}
