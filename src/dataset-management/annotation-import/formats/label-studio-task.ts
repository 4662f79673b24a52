import { setImmediate as otherWork } from 'node:timers/promises';
import * as z from 'zod';
import { IMAGE_SUFFIX } from '../../export/formats/image-place.ts';
import { faultsOf } from '../source/import-faults.ts';
import { MOST_OF_NAME } from '../source/import-source.ts';
import { shortList } from './short-list.ts';

/** A region of Label Studio; what its value holds depends on its type. */
const region = z.object({
  id: z.string().nullish(),
  type: z.string(),
  from_name: z.string().nullish(),
  parentID: z.string().nullish(),
  value: z.record(z.string(), z.unknown()).optional(),
  original_width: z.number().nullish(),
  original_height: z.number().nullish(),
  image_rotation: z.number().nullish(),
  meta: z
    .looseObject({
      point: z.int().min(1).max(1000).optional(),
      visibility: z.union([z.literal(1), z.literal(2)]).optional(),
      attributes: z.unknown().optional(),
      iscrowd: z.literal(1).optional(),
    })
    .nullish(),
});
export type Region = z.infer<typeof region>;

/** A task of Label Studio, and of its annotations what matters. `completions` is their old name. */
const annotation = z.object({
  id: z.unknown().optional(),
  was_cancelled: z.boolean().nullish(),
  ground_truth: z.boolean().nullish(),
  result: shortList(100_000),
});
const task = z.object({
  id: z.unknown().optional(),
  data: z.record(z.string(), z.unknown(), {
    error: 'must be an object; in JSON-MIN it is missing: export as JSON',
  }),
  meta: z.looseObject({ imageId: z.unknown().optional(), path: z.unknown().optional() }).nullish(),
  annotations: shortList(100).pipe(z.array(annotation)).nullish(),
  completions: shortList(100).pipe(z.array(annotation)).nullish(),
});
export type Task = z.infer<typeof task>;

/** Reads a task; the faults in words. */
export function parseTask(value: unknown): { task: Task } | { faults: string[] } {
  const parsed = task.safeParse(value);
  return parsed.success ? { task: parsed.data } : { faults: faultsOf(parsed.error) };
}

type ReadRegion = { region: Region } | { faults: string[] };

/** Regions that are read in one go, while everybody waits. */
const AT_ONCE = 1_000;

/** Reads regions, with turns for others in between; the faults in words. */
export async function readRegions(result: readonly unknown[]): Promise<ReadRegion[]> {
  const read: ReadRegion[] = [];
  for (const value of result) if (read.push(readRegion(value)) % AT_ONCE === 0) await otherWork();
  return read;
}

function readRegion(value: unknown): ReadRegion {
  const parsed = region.safeParse(value);
  return parsed.success ? { region: parsed.data } : { faults: faultsOf(parsed.error) };
}

/**
 * The regions of a task: those of its true annotation, else of its last one that was not skipped; undefined if nobody has
 * annotated it.
 */
export function resultOf({ annotations, completions }: Task): readonly unknown[] | undefined {
  const given = [...(annotations ?? completions ?? [])].filter((one) => one.was_cancelled !== true);
  return (given.find((one) => one.ground_truth === true) ?? given.at(-1))?.result;
}

/**
 * The name of a task's image: of its data `image`, else of the first text that looks like one. Of addresses the path, of the
 * local storage its `d`.
 */
export function imageOf({ data }: Task): string | undefined {
  // What is longer is no address, but such as an image in a text.
  const isName = (value: unknown): value is string =>
    typeof value === 'string' && value.length <= MOST_OF_NAME;
  const texts = Object.values(data).filter(isName);
  const image = data['image'];
  const found = isName(image)
    ? image
    : texts.find((text) => text.split('?').some((part) => IMAGE_SUFFIX.test(part)));
  if (found === undefined) return undefined;
  const [, local] = /\/local-files\/?\?(?:.*&)?d=([^&]*)/.exec(found) ?? [];
  const path = local ?? found.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '').replace(/[?#].*/s, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
