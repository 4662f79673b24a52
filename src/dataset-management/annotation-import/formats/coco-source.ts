import { setImmediate as otherWork } from 'node:timers/promises';
import type * as z from 'zod';
import { readFileInto } from '../../../core/files/read-file-into.ts';
import type { GivenClass } from '../../projects/write-classes.ts';
import { FileFault } from '../files/file-fault.ts';
import { parseJson, type JsonItem } from '../files/json-scanner.ts';
import { readJsonItems } from '../files/read-json-items.ts';
import {
  MAX_ANNOTATION_BYTES,
  MAX_ANNOTATIONS,
} from '../../projects/annotations/replace-annotations.ts';
import { faultsOf, tooMany, type ImportFaults } from '../source/import-faults.ts';
import { MOST_CLASSES } from '../source/import-source.ts';
import type { ImportSource, SourceAnnotation, SourceImage } from '../source/import-source.ts';
import { categorySchema, classOf } from './coco-category.ts';
import { cocoAnnotationSchema, cocoImageSchema, fromCoco } from './coco-annotation.ts';

/** Of all files of an import: the places of annotations are kept in memory. */
const MOST_ANNOTATIONS = 5_000_000;
const MOST_IMAGES = 1_000_000;
/** Characters of the names and ids of all images and categories: these are in memory. */
const MOST_KEPT = 200_000_000;
/** Images that are made in one go, while everybody waits. */
const AT_ONCE = 1_000;
const MEMBERS = ['categories', 'images', 'annotations'] as const;
const isRead = (member: string | null): member is (typeof MEMBERS)[number] =>
  MEMBERS.some((one) => one === member);

/** The annotations of an image: offset and length of each in the file. */
type Places = number[];

/** A COCO file on the disk. */
export interface CocoFile {
  path: string;
  /** As faults call it. */
  name: string;
  /** In front of the names of its images, to tell images of one name apart. */
  folder: string;
}

/** What has been read of all files. */
interface ReadSoFar {
  files: number;
  images: number;
  annotations: number;
  /** Characters of names and ids that are kept. */
  kept: number;
}

/**
 * Reads COCO files, each with ids of its own: categories and images at once, of the annotations only where they are; they are
 * read when their image is. Faults name the image and the id of the annotation, not its place. Throws FileFault.
 */
export async function cocoSource(
  files: readonly CocoFile[],
  faults: ImportFaults,
): Promise<ImportSource> {
  const read: ReadSoFar = { files: 0, images: 0, annotations: 0, kept: 0 };
  const [classes, images]: [GivenClass[], SourceImage[]] = [[], []];
  for (const file of files) {
    const reading = new CocoReading(file, faults, read);
    try {
      for await (const items of readJsonItems(file.path, (member) => reading.list(member)))
        for (const item of items) reading.take(item);
    } catch (error) {
      if (!(error instanceof FileFault) || files.length === 1) throw error;
      throw new FileFault(`${file.name} ${error.message}`);
    }
    read.files++;
    classes.push(...reading.classes);
    for (const image of reading.end()) if (images.push(image) % AT_ONCE === 0) await otherWork();
  }
  return { format: 'COCO', classes, images };
}

class CocoReading {
  readonly classes: GivenClass[] = [];
  readonly #file: CocoFile;
  readonly #faults: ImportFaults;
  /** Names by the ids of categories. */
  readonly #names = new Map<string, string>();
  readonly #images = new Map<string, { image: z.infer<typeof cocoImageSchema>; places: Places }>();
  /** Ids of images that can't be used: their annotations are not reported as well. */
  readonly #unusable = new Set<string>();
  /** Annotations by the ids of images that the file has not named (yet), with their own ids. */
  readonly #places = new Map<string, { label: string; places: Places }>();
  /** Members that are lists. */
  readonly #lists = new Set<string>();
  readonly #read: ReadSoFar;

  constructor(file: CocoFile, faults: ImportFaults, read: ReadSoFar) {
    this.#file = file;
    this.#faults = faults;
    this.#read = read;
  }

  /** Notes that a member is a list. */
  list(member: string): void {
    if (isRead(member)) this.#lists.add(member);
  }

  take(item: JsonItem): void {
    const { member, element } = item;
    if (!isRead(member) || !element) return;
    const value = parseJson(item.bytes);
    if (member === 'categories') this.#category(value);
    else if (member === 'images') this.#image(value);
    else this.#annotation(value, item);
  }

  *end(): Generator<SourceImage> {
    const { path, name: file, folder } = this.#file;
    for (const member of MEMBERS)
      if (!this.#lists.has(member)) this.#fault(null, null, `${member}: is missing, or not a list`);
    for (const [id, { image, places }] of this.#images) {
      const found = this.#places.get(id);
      this.#places.delete(id);
      if (image.annotated === false && !found && places.length === 0) continue;
      const name = `${folder}${image.file_name}`;
      yield {
        file,
        name,
        uuid: image.uuid ?? undefined,
        path: image.path ?? undefined,
        width: image.width,
        height: image.height,
        read: (_, faults) =>
          readAnnotations(path, (found?.places ?? []).concat(places), {
            names: this.#names,
            faults,
            file,
            image: name,
          }),
      };
    }
    for (const [id, { label }] of this.#places)
      if (!this.#unusable.has(id)) this.#fault(null, label, `the file has no image ${id}`);
  }

  #category(value: unknown): void {
    const object = `category ${idOf(value)}`;
    const category = this.#parse(categorySchema, value, null, object);
    if (!category) return;
    if (this.#names.has(String(category.id))) this.#fault(null, object, 'is there twice');
    this.#names.set(String(category.id), category.name);
    this.classes.push(classOf(category));
    if (this.classes.length > MOST_CLASSES)
      throw new FileFault(`has more than ${MOST_CLASSES} categories`);
    this.#keep(JSON.stringify(category));
  }

  #image(value: unknown): void {
    const name = textOf(value, 'file_name') || idOf(value);
    const image = this.#parse(cocoImageSchema, value, name, null);
    if (!image) {
      this.#unusable.add(idOf(value));
      return this.#keep(idOf(value));
    }
    const id = String(image.id);
    if (this.#images.has(id)) this.#fault(image.file_name, null, `its id ${id} is there twice`);
    this.#images.set(id, { image, places: [] });
    const { folder } = this.#file;
    this.#keep(`${id}${folder}${image.file_name}${image.uuid ?? ''}${image.path ?? ''}`);
    if (++this.#read.images > MOST_IMAGES) this.#tooMuch(`more than ${MOST_IMAGES} images`);
  }

  #annotation(value: unknown, { offset, bytes }: JsonItem): void {
    if (++this.#read.annotations > MOST_ANNOTATIONS)
      this.#tooMuch(`more than ${MOST_ANNOTATIONS} annotations`);
    const id = textOf(value, 'image_id');
    const label = `annotation ${idOf(value)}`;
    if (id === '') return this.#fault(null, label, 'image_id: is missing');
    const known = this.#images.get(id) ?? this.#places.get(id);
    if (known) known.places.push(offset, bytes.length);
    else {
      this.#places.set(id, { label, places: [offset, bytes.length] });
      this.#keep(id + label);
    }
  }

  #parse<T>(
    schema: z.ZodType<T>,
    value: unknown,
    image: string | null,
    object: string | null,
  ): T | undefined {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    for (const message of faultsOf(parsed.error)) this.#fault(image, object, message);
    return undefined;
  }

  #keep({ length }: string): void {
    this.#read.kept += length;
    if (this.#read.kept > MOST_KEPT)
      this.#tooMuch(`names and ids of more than ${MOST_KEPT} characters`);
  }

  #tooMuch(what: string): never {
    throw new FileFault(`${this.#read.files === 0 ? 'has' : 'and those before it have'} ${what}`);
  }

  #fault(image: string | null, object: string | null, message: string): void {
    this.#faults.add({ file: this.#file.name, image, object, message });
  }
}

/** Reads one after the other: all of an image take several times as much memory as their text. */
async function* readAnnotations(
  path: string,
  places: readonly number[],
  of: { names: ReadonlyMap<string, string>; faults: ImportFaults; file: string; image: string },
): AsyncGenerator<SourceAnnotation, undefined> {
  const { names, faults, file, image } = of;
  const refused = (message: string): undefined => {
    faults.add({ file, image, message });
  };
  if (places.length / 2 > MAX_ANNOTATIONS) return refused(tooMany(places.length / 2));
  const bytes = places.reduce((sum, place, at) => (at % 2 === 1 ? sum + place : sum), 0);
  if (bytes > MAX_ANNOTATION_BYTES)
    return refused(`its annotations have ${bytes} bytes, and ${MAX_ANNOTATION_BYTES} are the most`);
  for (let at = 0; at < places.length; at += 2) {
    const text = Buffer.alloc(places[at + 1] ?? 0);
    await readFileInto(path, text, places[at] ?? 0);
    const value = parseJson(text);
    const label = `annotation ${idOf(value)}`;
    const fault = (message: string): void => faults.add({ file, image, object: label, message });
    const parsed = cocoAnnotationSchema.safeParse(value);
    if (!parsed.success) {
      for (const message of faultsOf(parsed.error)) fault(message);
      continue;
    }
    const category = String(parsed.data.category_id);
    const className = names.get(category);
    if (className === undefined) fault(`the file has no category ${category}`);
    else yield fromCoco(parsed.data, { label, className });
  }
  return undefined;
}

function idOf(item: unknown): string {
  return textOf(item, 'id') || 'without id';
}

function textOf(item: unknown, member: string): string {
  const value: unknown =
    typeof item === 'object' && item !== null ? Reflect.get(item, member) : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
