import * as z from 'zod';
import { isLonger, isStorable } from '../../../core/text.ts';
import { skeletonShape, type Skeleton } from '../../projects/skeleton.ts';
import { shortList } from './short-list.ts';
import type { GivenClass } from '../../projects/write-classes.ts';

/** Points and lines that are looked at; a skeleton that can be stored has fewer. */
const MOST_POINTS = 10_000;

const shortText = z
  .string()
  .trim()
  .refine((text) => !isLonger(text, 200), 'is longer than 200 characters')
  .refine(isStorable, 'holds characters that can not be stored');

/** A category of a COCO file, with a skeleton that can be stored. */
export const categorySchema = z
  .object({
    id: z.union([z.int(), z.string()]),
    name: shortText.pipe(z.string().min(1)),
    supercategory: shortText.nullish(),
    keypoints: shortList(MOST_POINTS).pipe(z.array(z.string())).nullish(),
    skeleton: shortList(MOST_POINTS).nullish(),
  })
  .transform(({ keypoints, skeleton, ...category }, ctx) => {
    const points = namedPoints(keypoints ?? [], skeleton ?? []);
    if (points.length === 0) return { ...category, skeleton: undefined };
    const { data, error } = skeletonShape.safeParse({ points, edges: skeleton ?? [] });
    for (const { path, message } of error?.issues ?? [])
      ctx.issues.push({
        code: 'custom',
        message,
        input: keypoints,
        path:
          path.length === 0
            ? ['skeleton']
            : path.map(
                (part) => ({ points: 'keypoints', edges: 'skeleton' })[String(part)] ?? part,
              ),
      });
    return { ...category, skeleton: data };
  });

/**
 * What a category says of its class. Nothing about its supercategory or points leaves those of a class that is there as
 * they are.
 */
export function classOf({
  name,
  supercategory,
  skeleton,
}: {
  name: string;
  supercategory?: string | null | undefined;
  skeleton: Skeleton | undefined;
}): GivenClass {
  return {
    name,
    ...(supercategory && { supercategory }),
    ...(skeleton && { skeleton }),
  };
}

/**
 * Without the last points that are only numbered and on no line: exports write them where annotations have more points
 * than the class has names.
 */
function namedPoints(names: readonly string[], edges: readonly unknown[]): string[] {
  let used = 0;
  for (const point of edges.flat()) if (typeof point === 'number') used = Math.max(used, point);
  let count = names.length;
  while (count > used && names[count - 1] === String(count)) count--;
  return names.slice(0, count);
}
