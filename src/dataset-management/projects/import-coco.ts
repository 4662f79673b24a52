import { z } from 'zod';
import type { Context } from '../../core/context/context.ts';
import { ValidationError } from '../../core/errors.ts';
import { addAnnotationClasses } from './add-annotation-classes.ts';
import { annotateImage } from './annotate-image.ts';
import type { AnnotationInput } from './geometry.ts';
import { requireProject } from './load-project.ts';

const cocoSchema = z.object({
  categories: z.array(z.object({ id: z.int(), name: z.string().min(1) })),
  images: z.array(
    z.object({
      id: z.union([z.int(), z.string()]),
      file_name: z.string(),
      uuid: z.uuid().optional(),
    }),
  ),
  annotations: z.array(
    z.object({
      image_id: z.union([z.int(), z.string()]),
      category_id: z.int(),
      bbox: z.array(z.number()).length(4).optional(),
      segmentation: z.union([z.array(z.array(z.number())), z.looseObject({})]).optional(),
    }),
  ),
});

export interface CocoOutcome {
  images: number;
  annotations: number;
  /** File names that no image of the project has, or several have. */
  unmatched: string[];
}

/**
 * Reads a COCO file into a project: its categories become classes, its annotations replace those of each image. An image is found by its `uuid`, which our
 * exports give, else by the last part of its file name. Masks in run-length encoding keep their box. Used by `trivium coco`. Throws ValidationError.
 */
export async function importCoco(
  ctx: Context,
  args: { projectId: string; coco: unknown; onProgress?: (images: number, all: number) => void },
): Promise<CocoOutcome> {
  const project = await requireProject(ctx, args.projectId, 'change');
  const parsed = cocoSchema.safeParse(args.coco);
  if (!parsed.success)
    throw new ValidationError(
      parsed.error.issues.slice(0, 20).map((issue) => ({
        path: issue.path.map(String),
        message: issue.message,
        code: 'VALIDATION_ERROR',
      })),
    );
  const { categories, images, annotations } = parsed.data;
  const names = new Map(categories.map(({ id, name }) => [id, name.trim()]));
  await addAnnotationClasses(ctx, {
    projectId: project.id,
    classes: [...new Set(names.values())].map((name) => ({ name })),
  });
  const find = await imageFinder(ctx, project.id);
  const byImage = groupBy(annotations, ({ image_id }) => String(image_id));
  const outcome: CocoOutcome = { images: 0, annotations: 0, unmatched: [] };
  for (const image of images) {
    const id = find(image);
    if (id === undefined) {
      outcome.unmatched.push(image.file_name);
      continue;
    }
    const inputs = (byImage.get(String(image.id)) ?? []).map(
      ({ category_id, bbox, segmentation }): AnnotationInput => {
        const className = names.get(category_id) ?? String(category_id);
        if (Array.isArray(segmentation) && segmentation.length > 0)
          return { className, shape: 'POLYGON', geometry: segmentation };
        return bbox
          ? { className, shape: 'BBOX', geometry: bbox }
          : { className, shape: 'CLASSIFICATION', geometry: null };
      },
    );
    await annotateImage(ctx, { projectId: project.id, imageId: id, annotations: inputs });
    outcome.annotations += inputs.length;
    outcome.images++;
    args.onProgress?.(outcome.images, images.length);
  }
  return outcome;
}

/** Finds images of a project by id, or by a name that only one of them has. */
async function imageFinder(
  ctx: Context,
  projectId: string,
): Promise<(image: { file_name: string; uuid?: string | undefined }) => string | undefined> {
  const rows = await ctx.db.rows(
    'SELECT i.id, i.name FROM project_dataset pd JOIN dataset d ON d.id = pd.dataset_id AND d.deleted_at IS NULL JOIN image i ON i.dataset_id = d.id AND i.deleted_at IS NULL WHERE pd.project_id = $1',
    [projectId],
  );
  const ids = new Set(rows.map(([id]) => id ?? ''));
  const byName = groupBy(rows, ([, name]) => name ?? '');
  return ({ file_name, uuid }) => {
    if (uuid !== undefined && ids.has(uuid)) return uuid;
    const found = byName.get(file_name.replace(/^.*[/\\]/s, '')) ?? [];
    return found.length === 1 ? (found[0]?.[0] ?? undefined) : undefined;
  };
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
