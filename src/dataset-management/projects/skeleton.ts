import * as z from 'zod';
import { filledText } from '../../core/records/record-fields.ts';

/** Points of one class, and more lines between them than that nobody draws. */
const MOST_POINTS = 100;
const MOST_EDGES = 500;

/** Named points of a class of keypoints, and the lines between them, by the numbers of the points from 1, as in COCO. */
export const skeletonShape = z
  .strictObject({
    points: z.array(filledText(100)).min(1).max(MOST_POINTS),
    edges: z.array(z.tuple([z.int().min(1), z.int().min(1)])).max(MOST_EDGES),
  })
  .refine(({ points }) => new Set(points).size === points.length, 'has two points of one name')
  .refine(
    ({ points, edges }) => edges.flat().every((point) => point <= points.length),
    'has a line to a point that it does not have',
  );

/** A skeleton as it is stored. */
export type Skeleton = z.infer<typeof skeletonShape>;

/** Reads a stored skeleton; null for none. */
export function readSkeleton(stored: unknown): Skeleton | null {
  return skeletonShape.safeParse(stored).data ?? null;
}
