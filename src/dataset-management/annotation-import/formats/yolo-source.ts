import { setImmediate as otherWork } from 'node:timers/promises';
import { FileFault } from '../files/file-fault.ts';
import { linesOf } from '../files/lines-of.ts';
import { readDataYaml, type DataYaml } from '../files/read-yaml.ts';
import { withoutFolder } from '../files/without-folder.ts';
import type { ZipMember } from '../files/zip-directory.ts';
import type { ZipFile } from '../files/zip-file.ts';
import { measure } from '../../projects/annotations/geometry.ts';
import { tooMany, type ImportFaults } from '../source/import-faults.ts';
import { MAX_ANNOTATIONS } from '../../projects/annotations/replace-annotations.ts';
import {
  MOST_CLASSES,
  type ImageSize,
  type ImportSource,
  type SourceAnnotation,
  type SourceImage,
} from '../source/import-source.ts';
import { boxOfParts, pixelsOf, sameBox } from './pixels.ts';

const MOST_OF_FILE = 8 * 1024 * 1024;
const MOST_OF_YAML = 2 * 1024 * 1024;
/** Labels that are placed in one go, while everybody waits. */
const AT_ONCE = 1_000;
/** Without a second way to read the same digits: a long row of them would otherwise be tried in all. */
export const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;
const IN_LABELS = /(^|\/)labels\//i;
const CLASSES = /(^|\/)classes\.txt$/i;
/** Texts beside labels that are none. In a folder `labels` they may be labels of images of these names. */
const OTHERS =
  /(^|\/)(classes|obj|train|val|valid|validation|test|readme[^/]*|requirements|autosplit_[^/]*|missing|license)\.txt$/i;

/** The texts of an archive that may be labels. */
export function yoloLabels(zip: ZipFile): Promise<ZipMember[]> {
  return zip.all(
    (name) =>
      /\.txt$/i.test(name) && !(IN_LABELS.test(name) ? CLASSES.test(name) : OTHERS.test(name)),
  );
}

/** The label files of an archive: those in folders `labels`, or all if there are none. */
async function readLabels(zip: ZipFile): Promise<ZipMember[]> {
  const inLabels: ZipMember[] = [];
  for (const member of await zip.all((name) => /\.txt$/i.test(name) && IN_LABELS.test(name)))
    if (!OTHERS.test(member.name) || areLabels(await zip.text(member, MOST_OF_FILE)))
      inLabels.push(member);
  return inLabels.length > 0
    ? inLabels
    : (await yoloLabels(zip)).filter(({ name }) => !IN_LABELS.test(name));
}

/** Reads an archive of YOLO labels: boxes, outlines, and points where `data.yaml` has `kpt_shape`. Throws FileFault. */
export async function yoloSource(zip: ZipFile): Promise<ImportSource> {
  const yaml = await readNames(zip);
  const names = yaml.names ?? new Map<number, string>();
  if (names.size > MOST_CLASSES) throw new FileFault(`has more than ${MOST_CLASSES} classes`);
  const images: SourceImage[] = [];
  for (const member of await readLabels(zip)) {
    const name = withoutFolder(member.name, 'labels').replace(/\.txt$/i, '');
    const count = images.push({
      file: member.name,
      name,
      stem: true,
      read: async (size, faults) => {
        const text = await zip.text(member, MOST_OF_FILE);
        return readLines(text, { size, yaml, names, faults, file: member.name, image: name });
      },
    });
    if (count % AT_ONCE === 0) await otherWork();
  }
  return {
    format: 'YOLO',
    classes: [...names].sort(([a], [b]) => a - b).map(([, name]) => ({ name })),
    images,
  };
}

/** Whether a text is labels, and not a list or prose: tools write names of classes and more into `labels`, too. */
function areLabels(text: string): boolean {
  let found = false;
  for (const line of linesOf(text)) {
    if (line.trim() === '') continue;
    const words = line.trim().split(/\s+/);
    if (words.length <= 4 || words.some((word) => !NUMBER.test(word))) return false;
    found = true;
  }
  return found;
}

async function readNames(zip: ZipFile): Promise<DataYaml> {
  const yaml = (await zip.find(/(^|\/)data(set)?\.ya?ml$/i)) ?? (await zip.find(/\.ya?ml$/i));
  const listed = await zip.find(/(^|\/)classes\.txt$|\.names$/i);
  const read = yaml && readYaml(yaml.name, await zip.text(yaml, MOST_OF_YAML));
  if (read?.names) return read;
  if (!listed) throw new FileFault('names no classes: neither data.yaml nor classes.txt has them');
  const names = new Map<number, string>();
  for (const line of linesOf((await zip.text(listed, MOST_OF_FILE)).trimEnd()))
    if (names.size <= MOST_CLASSES) names.set(names.size, line.trim());
  return { names, points: read?.points };
}

function readYaml(name: string, text: string): DataYaml {
  try {
    return readDataYaml(text);
  } catch (error) {
    throw error instanceof FileFault ? new FileFault(`${name} ${error.message}`) : error;
  }
}

interface Lines {
  size: ImageSize;
  yaml: DataYaml;
  names: ReadonlyMap<number, string>;
  faults: ImportFaults;
  file: string;
  image: string;
}

function readLines(text: string, of: Lines): SourceAnnotation[] {
  const { faults, file, image, names } = of;
  const lines: { label: string; line: string }[] = [];
  let [number, count] = [0, 0];
  for (const line of linesOf(text)) {
    number++;
    if (line.trim() !== '' && ++count <= MAX_ANNOTATIONS)
      lines.push({ label: `line ${number}`, line });
  }
  if (count > MAX_ANNOTATIONS) {
    faults.add({ file, image, message: tooMany(count) });
    return [];
  }
  return lines.flatMap(({ label, line }) => {
    const fault = (message: string): [] => {
      faults.add({ file, image, object: label, message });
      return [];
    };
    const words = line.trim().split(/\s+/);
    const numbers = words.map(Number);
    if (words.some((word) => !NUMBER.test(word))) return fault('has something that is no number');
    const [category = -1, ...rest] = numbers;
    const className = names.get(category);
    if (className === undefined) return fault(`the file has no class ${category}`);
    const shaped = shapeOf(rest, of);
    return shaped ? [{ label, className, ...shaped }] : fault(wanted(of.yaml));
  });
}

function wanted({ points }: DataYaml): string {
  return points
    ? `has not 4 numbers of a box and ${points.count} × ${points.numbers} of its points`
    : 'has neither 4 numbers of a box nor at least 3 pairs of an outline';
}

type Shaped = Pick<SourceAnnotation, 'shape' | 'geometry' | 'sent'>;

function shapeOf(numbers: readonly number[], { size, yaml }: Lines): Shaped | undefined {
  const { points } = yaml;
  if (points && numbers.length === 4 + points.count * points.numbers)
    return pointsOf(numbers, points.numbers, size);
  if (numbers.length === 4) return { shape: 'BBOX', geometry: boxOfParts(numbers, size) };
  if (points || numbers.length < 6 || numbers.length % 2 === 1) return undefined;
  const ring = numbers.map((part, at) => pixelsOf(part, at % 2 === 0 ? size.width : size.height));
  return { shape: 'POLYGON', geometry: [ring] };
}

/** Points of which none is labelled are a box alone; a box that is not that of its points is kept with them. */
function pointsOf(numbers: readonly number[], each: number, size: ImageSize): Shaped {
  const bbox = boxOfParts(numbers, size);
  const geometry: number[] = [];
  for (let at = 4; at < numbers.length; at += each) {
    const [x = 0, y = 0, given] = numbers.slice(at, at + each);
    const visibility = each === 3 ? (given ?? 0) : x === 0 && y === 0 ? 0 : 2;
    geometry.push(
      ...(visibility === 0
        ? [0, 0, 0]
        : [pixelsOf(x, size.width), pixelsOf(y, size.height), visibility]),
    );
  }
  if (geometry.every((number) => number === 0)) return { shape: 'BBOX', geometry: bbox };
  const own = measure({ shape: 'POINTS', geometry }, size).bbox;
  return { shape: 'POINTS', geometry, ...(!sameBox(own, bbox) && { sent: { bbox } }) };
}
