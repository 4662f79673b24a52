import { z } from 'zod';
import type { GivenClass } from '../write-classes.ts';
import { categorySchema, classOf } from './coco-category.ts';
import type { CocoFaults } from './coco-error.ts';

const id = z.union([z.int(), z.string()]);

const fileSchema = z.object(
  {
    categories: z.array(z.unknown()),
    images: z.array(z.unknown()),
    annotations: z.array(z.unknown()),
  },
  'is not the JSON of a COCO file',
);
const imageSchema = z.object({
  id,
  file_name: z.string(),
  uuid: z.string().nullish(),
  width: z.number().nullish(),
  height: z.number().nullish(),
});
const annotationSchema = z.object({
  id: z.unknown().optional(),
  image_id: id,
  category_id: id,
  bbox: z.array(z.number()).length(4).nullish(),
  segmentation: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).nullish(),
  area: z.number().nonnegative().nullish(),
  iscrowd: z.union([z.literal(0), z.literal(1), z.boolean().transform(Number)]).nullish(),
  keypoints: z.array(z.number()).nullish(),
  polyline: z.array(z.unknown()).nullish(),
  shape: z.enum(['CLASSIFICATION', 'POLYLINE']).optional(),
  attributes: z.unknown().optional(),
});

export type CocoImage = z.infer<typeof imageSchema>;
export type CocoAnnotation = z.infer<typeof annotationSchema> & {
  /** Name of the category. */
  className: string;
  /** As faults call it. */
  label: string;
};

/** What a COCO file holds, each annotation with its image. */
export interface CocoFile {
  /** Names may be there twice. */
  classes: GivenClass[];
  images: { image: CocoImage; annotations: CocoAnnotation[] }[];
}

/** Reads a COCO file; whatever can't be used is noted by the name of the image and the id of the annotation, not by its place. */
export function readCocoFile(text: string, faults: CocoFaults): CocoFile {
  const file = fileSchema.safeParse(parseJson(text));
  if (!file.success) {
    for (const { path, message } of file.error.issues)
      faults.add(path.length > 0 ? path.join('.') : 'the file', message);
    return { classes: [], images: [] };
  }
  const classes: GivenClass[] = [];
  const classNames = new Map<string, string>();
  for (const item of file.data.categories) {
    const category = take(categorySchema, item, faults, [`category ${idOf(item)}`]);
    if (!category) continue;
    if (classNames.has(String(category.id)))
      faults.add(`category ${category.id}`, 'is there twice');
    classNames.set(String(category.id), category.name);
    classes.push(classOf(category));
  }
  const images = new Map<string, CocoFile['images'][number]>();
  for (const item of file.data.images) {
    const image = take(imageSchema, item, faults, [`image ${nameOf(item)}`]);
    if (!image) continue;
    if (images.has(String(image.id)))
      faults.add(`image ${image.file_name}`, `its id ${image.id} is there twice`);
    images.set(String(image.id), { image, annotations: [] });
  }
  // Annotations of a faulty image are not reported as well.
  const known = new Set([...images.keys(), ...file.data.images.map(idOf)]);
  for (const item of file.data.annotations) {
    const found = images.get(textOf(item, 'image_id'));
    const label = `annotation ${idOf(item)}`;
    const place = found ? [`image ${found.image.file_name}`, label] : [label];
    const annotation = take(annotationSchema, item, faults, place);
    if (!annotation) continue;
    const className = classNames.get(String(annotation.category_id));
    if (!known.has(String(annotation.image_id)))
      faults.add(...place, `the file has no image ${annotation.image_id}`);
    if (className === undefined)
      faults.add(...place, `the file has no category ${annotation.category_id}`);
    found?.annotations.push({ ...annotation, className: className ?? '', label });
  }
  return { classes, images: [...images.values()] };
}

/** Undefined for what is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** The value if it is of the schema; else its faults are noted. */
function take<T>(
  schema: z.ZodType<T>,
  value: unknown,
  faults: CocoFaults,
  place: readonly string[],
): T | undefined {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues)
    faults.add(...place, ...(path.length > 0 ? [path.join('.')] : []), message);
  return undefined;
}

function idOf(item: unknown): string {
  return textOf(item, 'id') || 'without id';
}

function nameOf(item: unknown): string {
  return textOf(item, 'file_name') || idOf(item);
}

function textOf(item: unknown, member: string): string {
  const value: unknown =
    typeof item === 'object' && item !== null ? Reflect.get(item, member) : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
