import type { ExportedAnnotation, ExportedImage } from '../selection/select-images.ts';
import {
  growingFile,
  partedFile,
  type ArchiveFile,
  type GrowingFile,
} from '../files/archive-file.ts';
import { escapeXml } from './escape-xml.ts';
import { stemOf } from './image-place.ts';
import type { LabelSource, LabelWriter } from './label-writer.ts';
import { readVocValue } from './voc-value.ts';
import { cornersOf, type Corners } from './outline.ts';
import { partsOf } from '../selection/split.ts';

/**
 * Pascal VOC: `Annotations/<image>.xml` for `JPEGImages/<image>.jpg`, and the names of the images in
 * `ImageSets/Main/<part>.txt`; without a split in `trainval.txt`.
 */
export function vocWriter(source: LabelSource): LabelWriter {
  const { split, report, project } = source;
  const lists = new Map<string, GrowingFile>();
  for (const part of split ? partsOf(split) : ['trainval'])
    lists.set(part, growingFile(source, `ImageSets/Main/${part}.txt`));
  return {
    async add({ image, plainPath, lost, annotated, part }) {
      if (!annotated || lost) {
        report.image(annotated ? 'lost by the storage: on no list' : 'not annotated: on no list');
        if (!annotated) return [];
      } else {
        report.image('listed', part);
        await lists.get(part ?? 'trainval')?.write(`${stemOf(plainPath)}\n`);
      }
      const name = `Annotations/${stemOf(plainPath)}.xml`;
      return [await partedFile(name, document(plainPath, image, source))];
    },
    async end() {
      if (project.encrypted) report.note('the images are encrypted: decrypt them, and drop ".enc"');
      const files: ArchiveFile[] = [];
      for (const list of lists.values()) files.push(await list.end());
      return files;
    },
  };
}

function* document(path: string, image: ExportedImage, source: LabelSource): Generator<string> {
  const [folder = '', name = ''] = path.split('/');
  yield `<annotation>
  <folder>${escapeXml(folder)}</folder>
  <filename>${escapeXml(name)}</filename>
  <path>${escapeXml(path)}</path>
  <source><database>Unknown</database></source>
  <size><width>${image.width}</width><height>${image.height}</height><depth>3</depth></size>
  <segmented>0</segmented>
`;
  for (const annotation of image.annotations) yield objectOf(annotation, image, source);
  yield '</annotation>\n';
}

/** An object, or nothing for what has no box. */
function objectOf(
  annotation: ExportedAnnotation,
  image: ExportedImage,
  { report }: LabelSource,
): string {
  const { attributes, className, coco, shape } = annotation;
  const leftOut = (why: string): string => {
    report.leftOut(annotation, why);
    return '';
  };
  if (shape === 'CLASSIFICATION') return leftOut('the whole image: VOC wants a place');
  const corners = cornersOf(annotation, image);
  if (!corners) return leftOut('its box has no area inside the image');
  const { left, top, right, bottom, isWhole } = pixels(corners);
  report.wrote(annotation, [
    ...(shape === 'POLYGON' || shape === 'MASK' || coco?.segmentation
      ? ['without its outline']
      : []),
    ...(shape === 'POLYLINE' ? ['the box around its lines'] : []),
    ...(shape === 'POINTS' ? ['without its points'] : []),
    ...(shape === 'BBOX' && !isWhole ? ['a box of whole pixels'] : []),
    ...(coco?.iscrowd ? ['a crowd is marked as difficult'] : []),
  ]);
  const flag = (name: string): number => (attributes?.[name] === true ? 1 : 0);
  const pose = attributes?.['pose'];
  const difficult = coco?.iscrowd ? 1 : flag('difficult');
  return `  <object>
    <name>${escapeXml(className)}</name>
    <pose>${escapeXml(typeof pose === 'string' ? pose : 'Unspecified')}</pose>
    <truncated>${flag('truncated')}</truncated>
    <occluded>${flag('occluded')}</occluded>
    <difficult>${difficult}</difficult>
    <bndbox><xmin>${left}</xmin><ymin>${top}</ymin><xmax>${right}</xmax><ymax>${bottom}</ymax></bndbox>
${attributes ? attributesOf(attributes) : ''}  </object>
`;
}

/** As CVAT writes them, and `type` where it would not be known that a value is a text. */
function attributesOf(attributes: NonNullable<ExportedAnnotation['attributes']>): string {
  const items = Object.entries(attributes).map(([name, value]) => {
    const type = readVocValue(String(value)) === value ? '' : '<type>text</type>';
    return `      <attribute><name>${escapeXml(name)}</name><value>${escapeXml(String(value))}</value>${type}</attribute>\n`;
  });
  return `    <attributes>\n${items.join('')}    </attributes>\n`;
}

/** VOC counts pixels from 1 and names the first and the last that a box touches. */
function pixels({ left, top, right, bottom }: Corners): Corners & { isWhole: boolean } {
  return {
    left: Math.floor(left) + 1,
    top: Math.floor(top) + 1,
    right: Math.ceil(right),
    bottom: Math.ceil(bottom),
    isWhole: [left, top, right, bottom].every(Number.isInteger),
  };
}
