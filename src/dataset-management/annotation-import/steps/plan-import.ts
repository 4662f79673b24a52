import { setImmediate } from 'node:timers/promises';
import type { SignedInContext } from '../../../core/context/context.ts';
import { listAnnotationClasses } from '../../projects/annotations/list-annotation-classes.ts';
import { isLonger, isStorable } from '../../../core/text.ts';
import { MAX_CLASSES, TOO_MANY_CLASSES, type GivenClass } from '../../projects/write-classes.ts';
import type { ImportFaults } from '../source/import-faults.ts';
import {
  MOST_CLASSES,
  type ImportFormat,
  type ImportSource,
  type SourceImage,
} from '../source/import-source.ts';
import { checkImage } from './check-image.ts';
import { imageFinder, type ProjectImage } from './find-image.ts';

/** What an import will do. */
export interface ImportPlan {
  format: ImportFormat;
  /** Each name once. */
  classes: GivenClass[];
  /** Names that the project does not have yet. */
  newClasses: string[];
  /** `length` is that of their annotations as JSON. */
  images: { source: SourceImage; image: ProjectImage; length: number }[];
  annotations: number;
  /** Images that have annotations, which will go. */
  replaced: number;
  /** Names in the file that no image of the project has, or several have. */
  unmatched: UnmatchedNames;
}

/** The first names, and how many there are. */
export interface UnmatchedNames {
  listed: string[];
  total: number;
}

/**
 * Reads all of a file and finds its images in the project, without changing anything: every fault is noted, and names that
 * are not found are faults unless they are allowed. Calls `onImage` for each image, in time to stop.
 */
export async function planImport(
  ctx: SignedInContext,
  args: {
    projectId: string;
    source: ImportSource;
    faults: ImportFaults;
    allowUnmatched: boolean;
    /** Names that are listed at most. */
    mostNames: number;
    onImage?: (done: number, all: number) => void;
  },
): Promise<ImportPlan> {
  const { projectId, source, faults, allowUnmatched } = args;
  const find = await imageFinder(ctx, projectId);
  const known = new Set((await listAnnotationClasses(ctx, projectId)).map(({ name }) => name));
  const classes = checkClasses(source, faults);
  const newClasses = classes.map(({ name }) => name).filter((name) => !known.has(name));
  if (newClasses.length > 0 && known.size + newClasses.length > MAX_CLASSES)
    faults.add({ file: firstFile(source), message: TOO_MANY_CLASSES });
  const seen = new Set<string>();
  const unmatched: UnmatchedNames = { listed: [], total: 0 };
  const images: ImportPlan['images'] = [];
  let [annotations, replaced, done] = [0, 0, 0];
  for (const one of source.images) {
    args.onImage?.(done, source.images.length);
    done++;
    // What else the process has to do is not to wait for all images of a large file.
    if (done % 50 === 0) await setImmediate();
    const image = find(one);
    const fault = (message: string): void =>
      faults.add({ file: one.file, image: one.name, message });
    if (!image) {
      if (unmatched.total++ < args.mostNames) unmatched.listed.push(one.name);
      if (!allowUnmatched) fault('not found in the project, or not unique');
      continue;
    }
    const { width, height } = one;
    if (width && height && (width !== image.width || height !== image.height))
      fault(`is ${width} × ${height} in the file, ${image.width} × ${image.height} here`);
    else if (seen.has(image.id)) fault('is an image that the file has already');
    else {
      seen.add(image.id);
      const checked = await checkImage(one, image, faults);
      const length = checked.reduce((sum, { written }) => sum + written.length, 0);
      images.push({ source: one, image, length });
      annotations += checked.length;
      if (image.annotated) replaced++;
    }
  }
  return { format: source.format, classes, newClasses, images, annotations, replaced, unmatched };
}

/** The classes with their names as they are stored, each once. */
function checkClasses(source: ImportSource, faults: ImportFaults): GivenClass[] {
  const file = firstFile(source);
  const named = new Map<string, GivenClass>();
  for (const given of source.classes) {
    const name = given.name.trim();
    const message =
      name === '' || isLonger(name, 200)
        ? 'has not 1 to 200 characters'
        : isStorable(name)
          ? undefined
          : 'holds characters that can not be stored';
    if (message !== undefined) faults.add({ file, object: `class ${name}`, message });
    named.set(name, { ...named.get(name), ...given, name });
  }
  if (named.size > MOST_CLASSES)
    faults.add({ file, message: `has more than ${MOST_CLASSES} classes` });
  return [...named.values()];
}

/** The file by which faults of no image are reported. */
function firstFile({ images }: ImportSource): string {
  return images[0]?.file ?? '';
}
