import { readSkeleton, type Skeleton } from '../../projects/skeleton.ts';
import type { AnnotationClass } from '../../projects/annotations/list-annotation-classes.ts';
import type { ExportedAnnotation } from '../selection/select-images.ts';
import type { LabelSource } from './label-writer.ts';

/**
 * The points of a class and the lines between them: at least as many points as its longest annotation, those without a
 * name by their number. Null for a class without points.
 */
export function pointsOf(
  { id, skeleton }: AnnotationClass,
  { points }: Pick<LabelSource, 'points'>,
): Skeleton | null {
  const named = readSkeleton(skeleton);
  const count = Math.max(points.get(id) ?? 0, named?.points.length ?? 0);
  if (count === 0) return null;
  return { points: padNames(named?.points ?? [], count), edges: named?.edges ?? [] };
}

/** How many points an annotation has; those of another shape have none. */
export function countPoints({ shape, geometry }: ExportedAnnotation): number {
  return shape === 'POINTS' && Array.isArray(geometry) ? geometry.length / 3 : 0;
}

/** Exactly so many names: more are numbers. */
export function padNames(names: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_, at) => names[at] ?? String(at + 1));
}

/**
 * Where each point is in the mirror image, by names such as `left_eye` and `right eye`, from 0. Undefined if no name tells
 * a side, or a point lacks its counterpart.
 */
export function mirrorPoints(names: readonly string[]): number[] | undefined {
  const place = new Map(names.map((name, at) => [name.toLowerCase(), at]));
  let sides = 0;
  const mirrored = names.map((name, at) => {
    const lower = name.toLowerCase();
    const other = lower.replace(/(?<![a-z])(left|right|l|r)(?![a-z])/g, (side) => {
      const counterparts: Record<string, string> = { left: 'right', right: 'left', l: 'r', r: 'l' };
      return counterparts[side] ?? side;
    });
    if (other === lower) return at;
    sides++;
    return place.get(other) ?? -1;
  });
  return sides > 0 && !mirrored.includes(-1) ? mirrored : undefined;
}
