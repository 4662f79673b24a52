import type { SignedInContext } from '../../../core/context/context.ts';
import { inTransaction } from '../../../core/context/in-transaction.ts';
import { forgetImages } from '../../images/load-image.ts';
import { writeClasses } from '../write-classes.ts';
import { listAnnotationClasses } from '../annotations/list-annotation-classes.ts';
import { CocoFaults } from './coco-error.ts';
import { attributesFault, storedAttributes } from '../annotations/attributes.ts';
import { cocoExtra } from '../annotations/coco-extra.ts';
import { imageFinder, type ProjectImage } from './find-coco-image.ts';
import { geometryFault, type AnnotationInput } from '../annotations/geometry.ts';
import { lockImages, waitWithoutLimit } from '../projects.sql.ts';
import { requireProject } from '../load-project.ts';
import { readCocoFile, type CocoAnnotation } from './read-coco.ts';
import {
  MAX_ANNOTATIONS,
  replaceAnnotations,
  type AnnotatedImage,
} from '../annotations/replace-annotations.ts';

export interface CocoOutcome {
  images: number;
  annotations: number;
  /** File names that no image of the project has, or several have; empty unless they are allowed. */
  unmatched: string[];
}

export interface CocoImport {
  projectId: string;
  /** Name of the file in error messages. */
  name: string;
  /** Its content: JSON, possibly after a byte order mark. */
  text: string;
  /** Leave out images that are not found in the project, instead of refusing the file. */
  allowUnmatched?: boolean;
  onProgress?: (images: number, all: number) => void;
}

interface Matched {
  image: ProjectImage;
  annotations: (AnnotationInput & Pick<AnnotatedImage['annotations'][number], 'coco'>)[];
}

/**
 * Reads a COCO file into a project in one transaction, all of it or nothing: its categories become classes, with
 * their supercategories and skeletons, its
 * annotations replace those of each image. An export gives geometry, keypoints, `attributes`, `area` and `iscrowd` back as
 * they were; what can't be stored is refused. Used by `trivium project import-coco`. Throws CocoError.
 */
export async function importCoco(ctx: SignedInContext, args: CocoImport): Promise<CocoOutcome> {
  const { userId } = ctx.viewer;
  const project = await requireProject(ctx, args.projectId, 'change');
  const faults = new CocoFaults(args.name);
  const file = readCocoFile(args.text, faults);
  const find = await imageFinder(ctx, project.id);
  const matched = new Map<string, Matched>();
  const unmatched: string[] = [];
  for (const { image: sent, annotations } of file.images) {
    const image = find(sent);
    const place = `image ${sent.file_name}`;
    if (!image) {
      unmatched.push(sent.file_name);
      if (!args.allowUnmatched) faults.add(place, 'not found in the project, or not unique');
      continue;
    }
    const { width, height } = image;
    if (sent.width && sent.height && (sent.width !== width || sent.height !== height))
      faults.add(place, `is ${sent.width} × ${sent.height} in the file, ${width} × ${height} here`);
    else if (matched.has(image.id)) faults.add(place, 'is an image that the file has already');
    else if (annotations.length > MAX_ANNOTATIONS)
      faults.add(place, `has ${annotations.length} annotations, more than ${MAX_ANNOTATIONS}`);
    else
      matched.set(image.id, {
        image,
        annotations: annotations.map((annotation) => {
          const input = { className: annotation.className, ...shapeOf(annotation) };
          const fault = faultOf(annotation, input, image);
          if (fault !== undefined)
            faults.add(place, annotation.label, `${fault} (${width} × ${height})`);
          return {
            ...input,
            coco: fault === undefined ? extraOf(annotation, input, image) : undefined,
          };
        }),
      });
  }
  faults.check();
  const written = [...matched.values()];
  await inTransaction(ctx, async (tx) => {
    await waitWithoutLimit.rows(tx.db, {});
    await writeClasses(tx.db, project.id, file.classes);
    const listed = await listAnnotationClasses(tx, project.id);
    const classes = new Map(listed.map(({ id, name }) => [name, id]));
    const locked = await lockImages.rows(tx.db, { ids: [...matched.keys()] });
    const live = new Set(locked.map(({ id }) => id));
    for (const { image } of written)
      if (!live.has(image.id)) faults.add(`image ${image.name}`, 'was deleted meanwhile');
    faults.check();
    for (const [done, { image, annotations }] of written.entries()) {
      await replaceAnnotations(tx.db, {
        projectId: project.id,
        imageId: image.id,
        annotations: annotations.map(({ className, shape, geometry, coco, attributes }) => ({
          class_id: classes.get(className) ?? '',
          shape,
          geometry,
          coco,
          attributes: storedAttributes(attributes),
        })),
        state: 'ANNOTATED',
        userId,
        now: new Date(ctx.clock()),
      });
      args.onProgress?.(done + 1, written.length);
    }
  });
  forgetImages(ctx);
  const count = written.reduce((sum, { annotations }) => sum + annotations.length, 0);
  return { images: written.length, annotations: count, unmatched };
}

/** Keypoints are points, a list of rings is a polygon, an object a mask, a box alone a box. */
function shapeOf(
  annotation: CocoAnnotation,
): Pick<AnnotationInput, 'shape' | 'geometry' | 'attributes'> {
  const { segmentation, bbox, shape, keypoints, polyline, attributes } = annotation;
  if (shape === 'CLASSIFICATION') return { shape, geometry: null, attributes };
  if (shape === 'POLYLINE') return { shape, geometry: polyline, attributes };
  if (isLabelled(keypoints)) return { shape: 'POINTS', geometry: keypoints, attributes };
  if (segmentation && !isEmptyList(segmentation)) return { ...outlineOf(segmentation), attributes };
  return bbox
    ? { shape: 'BBOX', geometry: bbox, attributes }
    : { shape: 'CLASSIFICATION', geometry: null, attributes };
}

function outlineOf(segmentation: object): Pick<AnnotationInput, 'shape' | 'geometry'> {
  return { shape: Array.isArray(segmentation) ? 'POLYGON' : 'MASK', geometry: segmentation };
}

/** The fault of an annotation; that of its outline where points are its geometry. */
function faultOf(
  { segmentation }: CocoAnnotation,
  input: AnnotationInput,
  image: ProjectImage,
): string | undefined {
  const outline =
    input.shape === 'POINTS' && segmentation && !isEmptyList(segmentation)
      ? geometryFault(outlineOf(segmentation), image)
      : undefined;
  return geometryFault(input, image) ?? outline ?? attributesFault(input.attributes);
}

function isLabelled(keypoints: readonly number[] | null | undefined): boolean {
  return keypoints?.some((number) => number !== 0) ?? false;
}

function isEmptyList(value: object): boolean {
  return Array.isArray(value) && value.length === 0;
}

function extraOf(
  { area, bbox, iscrowd, segmentation, keypoints }: CocoAnnotation,
  input: AnnotationInput,
  image: ProjectImage,
): ReturnType<typeof cocoExtra> {
  return cocoExtra(input, image, {
    area: area ?? undefined,
    bbox: bbox ?? undefined,
    iscrowd: iscrowd ?? undefined,
    segmentation: segmentation ?? undefined,
    keypoints: keypoints ?? undefined,
  });
}
