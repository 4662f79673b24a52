import { safeEntryName } from '../files/safe-entry-name.ts';
import type { ExportedImage } from '../selection/select-images.ts';
import { isYolo, type ExportFormat } from '../selection/export-format.ts';

/** Where an image is in an archive. */
export interface ImagePlace {
  path: string;
  /** Where it is once it is decrypted: without `.enc`. */
  plainPath: string;
}

/** What loaders recognise images by. */
export const IMAGE_SUFFIX = /\.(jpe?g|png|webp|tiff?|gif|avif|bmp)$/i;

/**
 * The id makes the path unique and harmless names keep their look; ciphertext ends in `.enc`. Pascal VOC has a folder
 * of its own; YOLO and VOC need a suffix that says that it is an image.
 */
export function placeImage(image: ExportedImage, format: ExportFormat): ImagePlace {
  const name = `${image.id}-${safeEntryName(image.name)}`;
  const voc = format === 'PASCAL_VOC';
  const type = image.mimeType?.replace('image/', '').replace('jpeg', 'jpg');
  const suffix = (voc || isYolo(format)) && type && !IMAGE_SUFFIX.test(name) ? `.${type}` : '';
  const folder = voc ? 'JPEGImages' : `images/${image.datasetId}`;
  const plainPath = `${folder}/${name}${suffix}`;
  return { path: image.mimeType === null ? `${plainPath}.enc` : plainPath, plainPath };
}

/** The last part of a path without its suffix, as loaders match labels with images. */
export function stemOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
}
