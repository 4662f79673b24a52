import { numberRings, pointsOf } from '../../projects/annotations/geometry.ts';
import { readMask } from '../../projects/annotations/mask.ts';
import type { ExportedAnnotation, ExportedImage } from '../selection/select-images.ts';
import { labelStudioControls } from './label-studio-config.ts';
import { cornersOf, within } from './outline.ts';
import { packBrush } from './pack-brush.ts';

/** A result of Label Studio, as its JSON has it. */
export type Region = Record<string, unknown>;

/** Bytes that the brushes of one image may still take together: Label Studio reads all of them at once. */
export interface BrushRoom {
  bytes: number;
}

/** The regions of an annotation, and what they lost; or why there are none. Places are in percent of the image. */
export function regionsOf(
  annotation: ExportedAnnotation,
  image: ExportedImage,
  { id, room }: { id: string; room: BrushRoom },
): { result: Iterable<Region>; losses: string[] } | { leftOut: string } {
  const { attributes, coco, className, geometry, shape } = annotation;
  const about = { ...(attributes && { attributes }), ...(coco?.iscrowd && { iscrowd: 1 }) };
  const region = (
    control: keyof typeof labelStudioControls,
    value: object,
    more: { id?: string; parentID?: string; meta?: object } = {},
  ): Region => {
    const { type } = labelStudioControls[control];
    const meta = { ...about, ...more.meta };
    return {
      id: more.id ?? id,
      type,
      from_name: control,
      to_name: 'image',
      original_width: image.width,
      original_height: image.height,
      image_rotation: 0,
      value: { ...value, [type]: [className] },
      ...(more.parentID !== undefined && { parentID: more.parentID }),
      ...(Object.keys(meta).length > 0 && { meta }),
    };
  };
  const losses = Object.keys(about).length > 0 ? ['attributes and crowds are in "meta"'] : [];
  switch (shape) {
    case 'CLASSIFICATION':
      return { result: [], losses: attributes ? ['without attributes'] : [] };
    case 'POLYLINE':
      return { leftOut: 'Label Studio has no open lines' };
    case 'BBOX': {
      const box = boxValue(annotation, image);
      return box
        ? { result: [region('box', box)], losses }
        : { leftOut: 'its box has no area inside the image' };
    }
    case 'POLYGON': {
      const rings = numberRings(geometry);
      const regions = function* (): Generator<Region> {
        for (const [at, ring] of rings.entries()) {
          const value = { points: pairs(ring, image), closed: true };
          yield region('polygon', value, at === 0 ? {} : { id: `${id}-${at + 1}`, parentID: id });
        }
      };
      if (rings.length > 1) losses.unshift('its parts are regions of their own, below the first');
      return { result: regions(), losses };
    }
    case 'MASK': {
      const mask = readMask(geometry, image);
      if (!mask) return { leftOut: 'its mask is none of this image' };
      const rle = packBrush(mask, room.bytes);
      if (!rle) return { leftOut: 'its brush would be too large for Label Studio' };
      room.bytes -= rle.length;
      return { result: [region('mask', { format: 'rle', rle })], losses };
    }
    case 'POINTS': {
      const box = boxValue(annotation, image);
      const points = pointsOf(geometry).flatMap(([x = 0, y = 0, visibility = 0], at) => {
        if (visibility === 0) return [];
        const meta = { point: at + 1, visibility };
        const more = { id: `${id}-${at + 1}`, ...(box && { parentID: id }), meta };
        return [region('point', { ...percent(x, y, image), width: 0.5 }, more)];
      });
      if (coco?.segmentation) losses.unshift('without its outline');
      losses.unshift('its points are regions of their own, their visibility in "meta"');
      return { result: [...(box ? [region('box', box)] : []), ...points], losses };
    }
  }
}

/** What the image as a whole shows. */
export function choicesOf(names: readonly string[]): Region {
  return {
    id: 'class',
    type: 'choices',
    from_name: 'class',
    to_name: 'image',
    value: { choices: [...new Set(names)] },
  };
}

function boxValue(annotation: ExportedAnnotation, image: ExportedImage): object | undefined {
  const corners = cornersOf(annotation, image);
  if (!corners) return undefined;
  const { left, top, right, bottom } = corners;
  const width = ((right - left) / image.width) * 100;
  const height = ((bottom - top) / image.height) * 100;
  return { ...percent(left, top, image), width, height, rotation: 0 };
}

function percent(x: number, y: number, image: ExportedImage): { x: number; y: number } {
  return {
    x: (within(x, image.width) / image.width) * 100,
    y: (within(y, image.height) / image.height) * 100,
  };
}

function pairs(ring: readonly number[], image: ExportedImage): number[][] {
  return Array.from({ length: ring.length / 2 }, (_, at) => {
    const { x, y } = percent(ring[2 * at] ?? 0, ring[2 * at + 1] ?? 0, image);
    return [x, y];
  });
}
