import { attributesFault, storedAttributes } from '../../projects/annotations/attributes.ts';
import { cocoExtra, isEmptyList, outlineOf } from '../../projects/annotations/coco-extra.ts';
import { geometryFault } from '../../projects/annotations/geometry.ts';
import {
  MAX_ANNOTATIONS,
  type WrittenAnnotation,
} from '../../projects/annotations/replace-annotations.ts';
import { tooMany, type ImportFaults } from '../source/import-faults.ts';
import type { ImageSize, SourceAnnotation, SourceImage } from '../source/import-source.ts';

/** An annotation that can be stored. */
export interface CheckedAnnotation {
  className: string;
  /** A WrittenAnnotation as JSON: decoded, all of an image take several times as much memory. */
  written: string;
}

/**
 * Reads the annotations of an image from its file, and checks them against the image; those with faults are left out,
 * and noted.
 */
export async function checkImage(
  source: SourceImage,
  image: ImageSize,
  faults: ImportFaults,
): Promise<CheckedAnnotation[]> {
  const read = await source.read(image, faults);
  const place = { file: source.file, image: source.name };
  if (Array.isArray(read) && read.length > MAX_ANNOTATIONS) {
    const message = tooMany(read.length);
    faults.add({ ...place, message });
    return [];
  }
  const checked: CheckedAnnotation[] = [];
  for await (const annotation of read) {
    const { attributes, className, geometry = null, label, sent = {}, shape } = annotation;
    const fault = faultOf(annotation, image);
    if (fault !== undefined) {
      const message = `${fault} (${image.width} × ${image.height})`;
      faults.add({ ...place, object: label, message });
      continue;
    }
    const coco = cocoExtra({ shape, geometry }, image, sent);
    const written: WrittenAnnotation = {
      shape,
      geometry,
      coco,
      attributes: storedAttributes(attributes),
    };
    checked.push({ className, written: JSON.stringify(written) });
  }
  return checked;
}

/** The fault of an annotation; that of its outline where points are its geometry. */
function faultOf(annotation: SourceAnnotation, image: ImageSize): string | undefined {
  const { segmentation } = annotation.sent ?? {};
  const outline =
    annotation.shape === 'POINTS' && segmentation && !isEmptyList(segmentation)
      ? geometryFault(outlineOf(segmentation), image)
      : undefined;
  return geometryFault(annotation, image) ?? outline ?? attributesFault(annotation.attributes);
}
