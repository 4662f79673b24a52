import { measure } from '../../projects/annotations/geometry.ts';
import { growingFile } from '../files/archive-file.ts';
import type { LabelSource, LabelWriter } from './label-writer.ts';

const COLUMNS = [
  'image',
  'image_id',
  'dataset_id',
  'file_name',
  'width',
  'height',
  'review',
  'split',
  'class',
  'shape',
  'x',
  'y',
  'box_width',
  'box_height',
  'area',
  'iscrowd',
  'geometry',
  'attributes',
  'coco',
];

/**
 * `annotations.csv` (RFC 4180, UTF-8): a line for each annotation with its box, and its geometry and attributes as
 * JSON; one without class for an image that has none.
 */
export function csvWriter(source: LabelSource): LabelWriter {
  const file = growingFile(source, 'annotations.csv');
  let begun = false;
  const begin = async (): Promise<void> => {
    if (!begun) await file.write(line(COLUMNS));
    begun = true;
  };
  return {
    async add({ image, path, part }) {
      await begin();
      const { id, datasetId, name, width, height, state } = image;
      const about = [path, id, datasetId, name, width, height, state, part];
      for (const annotation of image.annotations) {
        const { attributes, className, coco, geometry, shape } = annotation;
        const { bbox, area } = measure(annotation, image);
        source.report.wrote(annotation);
        await file.write(
          line([
            ...about,
            className,
            shape,
            ...(coco?.bbox ?? bbox),
            coco?.area ?? area,
            coco?.iscrowd ?? 0,
            ...[geometry, attributes, coco].map((value) =>
              value === null ? '' : JSON.stringify(value),
            ),
          ]),
        );
      }
      if (image.annotations.length === 0)
        await file.write(line([...about, ...COLUMNS.slice(about.length).map(() => '')]));
      source.report.image('written', part);
      return [];
    },
    async end() {
      await begin();
      return [await file.end()];
    },
  };
}

function line(values: readonly (string | number | null)[]): string {
  const cells = values.map((value) => {
    const text = value === null ? '' : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${cells.join(',')}\r\n`;
}
