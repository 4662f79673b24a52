import { setImmediate as otherWork } from 'node:timers/promises';
import { growingFile, textFile } from '../files/archive-file.ts';
import { labelStudioConfig } from './label-studio-config.ts';
import { choicesOf, regionsOf, type Region } from './label-studio-regions.ts';
import type { LabelSource, LabelWriter } from './label-writer.ts';

/** What the brushes of one image take at most: a mask of a photo takes some ten thousand. */
const MOST_BRUSH_BYTES = 8_000_000;

/**
 * Label Studio: the tasks in `label-studio.json`, and the labelling set-up that they fit in `label-studio.xml`. Images
 * are named as its storage "local files" serves them when the archive's folder is its root.
 */
export function labelStudioWriter(source: LabelSource): LabelWriter {
  const { report, project, exportedAt } = source;
  const file = growingFile(source, 'label-studio.json');
  let tasks = 0;
  return {
    async add({ image, path, plainPath, annotated }) {
      const id = ++tasks;
      const made = { was_cancelled: false, ground_truth: false, created_at: exportedAt };
      const about = {
        id,
        data: {
          image: `/data/local-files/?d=${plainPath.split('/').map(encodeURIComponent).join('/')}`,
        },
        meta: { path, imageId: image.id, datasetId: image.datasetId, review: image.state },
      };
      const head = JSON.stringify(about).slice(0, -1);
      const opening = JSON.stringify({ id, ...made, result: [] }).slice(0, -2);
      await file.write(
        `${id === 1 ? '[' : ','}\n  ${head},"annotations":[${annotated ? opening : ''}`,
      );
      let before = '';
      const write = async (region: Region): Promise<void> => {
        await file.write(`${before}${JSON.stringify(region)}`);
        before = ',';
      };
      const whole: string[] = [];
      let number = 0;
      const room = { bytes: MOST_BRUSH_BYTES };
      for (const annotation of image.annotations) {
        if (annotation.shape === 'CLASSIFICATION') whole.push(annotation.className);
        if (annotation.shape === 'MASK') await otherWork();
        const regions = regionsOf(annotation, image, { id: String(++number), room });
        if ('leftOut' in regions) report.leftOut(annotation, regions.leftOut);
        else {
          report.wrote(annotation, regions.losses);
          for (const region of regions.result) await write(region);
        }
      }
      if (whole.length > 0) await write(choicesOf(whole));
      await file.write(`${annotated ? ']}' : ''}],"predictions":[]}`);
      report.image('written');
      return [];
    },
    async end() {
      if (project.encrypted) report.note('the images are encrypted: decrypt them, and drop ".enc"');
      await file.write(tasks === 0 ? '[]\n' : '\n]\n');
      return [await file.end(), textFile('label-studio.xml', labelStudioConfig(source.classes))];
    },
  };
}
