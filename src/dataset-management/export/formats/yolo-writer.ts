import { readSkeleton } from '../../projects/skeleton.ts';
import {
  growingFile,
  partedFile,
  textFile,
  type ArchiveFile,
  type GrowingFile,
} from '../files/archive-file.ts';
import { stemOf } from './image-place.ts';
import type { LabelSource, LabelWriter, PlacedImage } from './label-writer.ts';
import { mirrorPoints, padNames, pointsOf } from './name-points.ts';
import { partsOf, type SplitPart } from '../selection/split.ts';
import { yoloLine, type YoloFormat } from './yolo-lines.ts';

/** What Ultralytics opens. */
const READABLE = /\.(jpe?g|png|webp|tiff?)$/i;
const READABLE_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/tiff']);
/** Smaller images are ignored by Ultralytics. */
const FEWEST_PIXELS = 10;
/** Numbers that are written at once. */
const GATHER = 10_000;

/**
 * YOLO as Ultralytics reads it: the labels of `images/<dataset>/<image>.jpg` are `labels/<dataset>/<image>.txt`;
 * `data.yaml` names the classes and the lists of images (`train.txt`, `val.txt`, `test.txt`).
 */
export function yoloWriter(format: YoloFormat, source: LabelSource): LabelWriter {
  const { split, report, points } = source;
  const most = Math.max(1, ...points.values());
  const parts: SplitPart[] = split ? partsOf(split) : ['train'];
  const lists = new Map<SplitPart, GrowingFile>();
  const listOf = (part: SplitPart): GrowingFile => {
    const list = lists.get(part) ?? growingFile(source, `${part}.txt`);
    lists.set(part, list);
    return list;
  };
  return {
    async add(placed) {
      const { image, plainPath } = placed;
      const part = placed.part ?? 'train';
      const unusable = whyNot(placed);
      report.image(unusable ?? 'listed', unusable === undefined ? part : null);
      if (!placed.annotated) return [];
      const lines = function* (): Generator<string> {
        for (const annotation of image.annotations) {
          const line = yoloLine(format, annotation, image, most);
          if ('leftOut' in line) report.leftOut(annotation, line.leftOut);
          else {
            report.wrote(annotation, line.losses);
            yield* textOf(annotation.classIndex, line.numbers);
          }
        }
      };
      if (unusable === undefined) await listOf(part).write(`./${plainPath}\n`);
      const folder = plainPath.slice(0, plainPath.lastIndexOf('/')).replace(/^images/, 'labels');
      return [await partedFile(`${folder}/${stemOf(plainPath)}.txt`, lines())];
    },
    async end() {
      const files: ArchiveFile[] = [];
      for (const part of parts) files.push(await listOf(part).end());
      return [...files, textFile('data.yaml', dataYaml(format, source, { parts, most }))];
    },
  };
}

/** Why an image is on no list; undefined if it is on one. */
function whyNot({ image, plainPath, lost, annotated }: PlacedImage): string | undefined {
  if (!annotated) return 'not annotated: on no list';
  if (lost) return 'lost by the storage: on no list';
  if (image.width < FEWEST_PIXELS || image.height < FEWEST_PIXELS)
    return `smaller than ${FEWEST_PIXELS} pixels: on no list`;
  const known = image.mimeType === null || READABLE_TYPES.has(image.mimeType);
  return known && READABLE.test(plainPath)
    ? undefined
    : 'of a type that Ultralytics does not open: on no list';
}

/** Without `path`, so that the lists are found beside the file. */
function dataYaml(
  format: YoloFormat,
  source: LabelSource,
  { parts, most }: { parts: readonly SplitPart[]; most: number },
): string {
  const { classes, report, project } = source;
  const lines = ['train: train.txt'];
  const { val, note } = validation(report.imagesIn('val'), parts.includes('val'));
  lines.push(`val: ${val}`);
  if (note !== undefined) {
    lines.push(`# ${note}`);
    report.note(note);
  }
  if (report.imagesIn('test') > 0) lines.push('test: test.txt');
  if (project.encrypted) report.note('the images are encrypted: decrypt them, and drop ".enc"');
  if (format === 'YOLO_POSE') lines.push(`kpt_shape: [${most}, 3]`, ...mirrorLines(source, most));
  lines.push(`nc: ${classes.length}`, classes.length > 0 ? 'names:' : 'names: {}');
  for (const [at, { name }] of classes.entries()) lines.push(`  ${at}: ${quote(name)}`);
  if (format === 'YOLO_POSE') lines.push(...pointLines(source, most));
  return `${lines.join('\n')}\n`;
}

/** Only if all classes with points are mirrored in the same way: there is one `flip_idx` for all. */
function mirrorLines(source: LabelSource, most: number): string[] {
  const mirrors = source.classes.flatMap((named) => {
    const skeleton = pointsOf(named, source);
    return skeleton ? [mirrorPoints(padNames(skeleton.points, most))?.join(', ')] : [];
  });
  const [mirror] = mirrors;
  return mirror !== undefined && mirrors.every((one) => one === mirror)
    ? [`flip_idx: [${mirror}]`]
    : [];
}

/** The names of the points of each class, if any has names. */
function pointLines({ classes }: LabelSource, most: number): string[] {
  const named = classes.map(({ skeleton }) => readSkeleton(skeleton)?.points ?? []);
  if (named.every((names) => names.length === 0)) return [];
  return [
    'kpt_names:',
    ...named.map((names, at) => `  ${at}: [${padNames(names, most).map(quote).join(', ')}]`),
  ];
}

/** Trainers refuse a data set without images for validation. */
function validation(images: number, wanted: boolean): { val: string; note?: string } {
  if (images > 0) return { val: 'val.txt' };
  const note = wanted
    ? 'no image fell into val: those of train stand in for it'
    : 'nothing was set apart for val: the images of train stand in for it';
  return { val: 'train.txt', note };
}

/** A line in parts: an outline may have millions of numbers, and each takes as much as a text while they are joined. */
function* textOf(index: number, numbers: readonly number[]): Generator<string> {
  for (let at = 0; at < numbers.length; at += GATHER) {
    const part = numbers
      .slice(at, at + GATHER)
      .map(short)
      .join(' ');
    const end = at + GATHER < numbers.length ? '' : '\n';
    yield `${at === 0 ? index : ''} ${part}${end}`;
  }
}

/** Eight digits are a thousandth of a pixel in the largest image. */
function short(value: number): string {
  return String(Number(value.toFixed(8)));
}

/** As YAML reads it: JSON, without the characters that YAML refuses. */
function quote(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
