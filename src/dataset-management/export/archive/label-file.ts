import { measure } from '../../projects/annotations/geometry.ts';
import type { ExportedImage } from './select-images.ts';

/** Native and COCO annotations are in every archive; the others add a label file for each image (F227). */
export type ExportFormat = 'NATIVE' | 'COCO' | 'YOLO' | 'PASCAL_VOC';

/** The label file of an image in a format; undefined when the format has none. */
export function labelFile(
  format: ExportFormat,
  image: ExportedImage,
): { name: string; text: string } | undefined {
  switch (format) {
    case 'NATIVE':
    case 'COCO':
      return undefined;
    case 'YOLO':
      return { name: `labels/${image.id}.txt`, text: yoloLines(image) };
    case 'PASCAL_VOC':
      return { name: `voc/${image.id}.xml`, text: vocDocument(image) };
  }
}

/** `class x-centre y-centre width height`, in parts of the image. */
function yoloLines(image: ExportedImage): string {
  return image.annotations
    .filter(({ shape }) => shape !== 'CLASSIFICATION')
    .map(({ category, shape, geometry }) => {
      const [x = 0, y = 0, width = 0, height = 0] = measure({ shape, geometry }, image).bbox;
      const parts = [
        (x + width / 2) / image.width,
        (y + height / 2) / image.height,
        width / image.width,
        height / image.height,
      ];
      return `${category - 1} ${parts.map((part) => part.toFixed(6)).join(' ')}\n`;
    })
    .join('');
}

function vocDocument(image: ExportedImage): string {
  const objects = image.annotations
    .filter(({ shape }) => shape !== 'CLASSIFICATION')
    .map(({ className, shape, geometry }) => {
      const [x = 0, y = 0, width = 0, height = 0] = measure({ shape, geometry }, image).bbox;
      const corners = `<xmin>${Math.round(x)}</xmin><ymin>${Math.round(y)}</ymin><xmax>${Math.round(x + width)}</xmax><ymax>${Math.round(y + height)}</ymax>`;
      return `  <object><name>${escapeXml(className)}</name><bndbox>${corners}</bndbox></object>\n`;
    });
  const size = `<size><width>${image.width}</width><height>${image.height}</height><depth>3</depth></size>`;
  return `<annotation>\n  <filename>${escapeXml(image.name)}</filename>\n  ${size}\n${objects.join('')}</annotation>\n`;
}

function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
