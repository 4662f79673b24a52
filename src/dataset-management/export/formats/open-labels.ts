import { cocoWriter } from './coco-writer.ts';
import { csvWriter } from './csv-writer.ts';
import type { ExportFormat } from '../selection/export-format.ts';
import { ExportReport } from './export-report.ts';
import { labelStudioWriter } from './label-studio-writer.ts';
import type { LabelSource, LabelWriter } from './label-writer.ts';
import { vocWriter } from './voc-writer.ts';
import { yoloWriter } from './yolo-writer.ts';

/** What writes the label files of an archive: COCO in each, and the format's own. */
export function openLabels(format: ExportFormat, source: LabelSource): LabelWriter[] {
  if (format === 'COCO') return [cocoWriter(source)];
  // The report is about the format that was asked for.
  const coco = cocoWriter({ ...source, split: null, report: new ExportReport() });
  switch (format) {
    case 'NATIVE':
      return [coco];
    case 'YOLO':
    case 'YOLO_SEGMENT':
    case 'YOLO_POSE':
      return [coco, yoloWriter(format, source)];
    case 'PASCAL_VOC':
      return [coco, vocWriter(source)];
    case 'LABEL_STUDIO':
      return [coco, labelStudioWriter(source)];
    case 'CSV':
      return [coco, csvWriter(source)];
  }
}
