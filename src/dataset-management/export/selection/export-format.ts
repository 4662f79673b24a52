/**
 * Native and COCO annotations are in every archive; COCO adds a file for each part of a split, the others add files of
 * their own (F227).
 */
export const exportFormats = [
  'NATIVE',
  'COCO',
  'YOLO',
  'YOLO_SEGMENT',
  'YOLO_POSE',
  'PASCAL_VOC',
  'LABEL_STUDIO',
  'CSV',
] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** As REST and the command line write them. */
export const exportFormatNames = {
  NATIVE: 'Native',
  COCO: 'Coco',
  YOLO: 'Yolo',
  YOLO_SEGMENT: 'YoloSegment',
  YOLO_POSE: 'YoloPose',
  PASCAL_VOC: 'PascalVoc',
  LABEL_STUDIO: 'LabelStudio',
  CSV: 'Csv',
} as const satisfies Record<ExportFormat, string>;

/** A format by its name in any case, with or without `-` and `_`; undefined for anything else. */
export function parseExportFormat(text: string): ExportFormat | undefined {
  const name = text.trim().toLowerCase().replace(/[-_]/g, '');
  return exportFormats.find((format) => exportFormatNames[format].toLowerCase() === name);
}

/** Those that say which images are for training, validation and test. */
export function takesSplit(format: ExportFormat): boolean {
  return format !== 'NATIVE' && format !== 'LABEL_STUDIO';
}

export function isYolo(format: ExportFormat): boolean {
  return format === 'YOLO' || format === 'YOLO_SEGMENT' || format === 'YOLO_POSE';
}
