import * as z from 'zod';
import { isEmptyList, outlineOf } from '../../projects/annotations/coco-extra.ts';
import { numberList } from './short-list.ts';
import { MOST_OF_NAME, type SourceAnnotation } from '../source/import-source.ts';

const id = z.union([z.int(), z.string()]);

/** An image of a COCO file; `uuid`, `path`, and `annotated` if it is false, are those of our exports. */
export const cocoImageSchema = z.object({
  id,
  file_name: z.string().max(MOST_OF_NAME),
  uuid: z.string().max(MOST_OF_NAME).nullish(),
  path: z.string().max(MOST_OF_NAME).nullish(),
  width: z.number().nullish(),
  height: z.number().nullish(),
  annotated: z.unknown().optional(),
});

/** An annotation of a COCO file. */
export const cocoAnnotationSchema = z.object({
  id: z.unknown().optional(),
  image_id: id,
  category_id: id,
  bbox: numberList.refine(({ length }) => length === 4, 'has not 4 numbers').nullish(),
  segmentation: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).nullish(),
  area: z.number().nonnegative().nullish(),
  iscrowd: z.union([z.literal(0), z.literal(1), z.boolean().transform(Number)]).nullish(),
  keypoints: numberList.nullish(),
  polyline: z.array(z.unknown()).nullish(),
  shape: z.enum(['CLASSIFICATION', 'POLYLINE']).optional(),
  attributes: z.unknown().optional(),
});
type CocoAnnotation = z.infer<typeof cocoAnnotationSchema>;

/** An annotation as it is stored, with what COCO says besides its geometry. */
export function fromCoco(
  annotation: CocoAnnotation,
  { label, className }: { label: string; className: string },
): SourceAnnotation {
  const { area, attributes, bbox, iscrowd, keypoints, segmentation } = annotation;
  return {
    label,
    className,
    ...shapeOf(annotation),
    attributes,
    sent: {
      area: area ?? undefined,
      bbox: bbox ?? undefined,
      iscrowd: iscrowd ?? undefined,
      segmentation: segmentation ?? undefined,
      keypoints: keypoints ?? undefined,
    },
  };
}

/** Labelled keypoints are points, a list of rings is a polygon, an object a mask, a box alone a box. */
function shapeOf({
  bbox,
  keypoints,
  polyline,
  segmentation,
  shape,
}: CocoAnnotation): Pick<SourceAnnotation, 'shape' | 'geometry'> {
  if (shape === 'CLASSIFICATION') return { shape, geometry: null };
  if (shape === 'POLYLINE') return { shape, geometry: polyline };
  if (keypoints && !areUnlabelled(keypoints)) return { shape: 'POINTS', geometry: keypoints };
  if (segmentation && !isEmptyList(segmentation)) return outlineOf(segmentation);
  return bbox ? { shape: 'BBOX', geometry: bbox } : { shape: 'CLASSIFICATION', geometry: null };
}

/** Points [x1, y1, v1, …] of which none is labelled, wherever they are. */
function areUnlabelled(keypoints: readonly number[]): boolean {
  return (
    keypoints.length % 3 === 0 && keypoints.every((number, at) => at % 3 !== 2 || number === 0)
  );
}
