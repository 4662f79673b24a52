import { IMAGE_SUFFIX } from '../../export/formats/image-place.ts';
import { readVocValue } from '../../export/formats/voc-value.ts';
import { FileFault } from '../files/file-fault.ts';
import { childOf, readXml, textIn, type XmlElement } from '../files/read-xml.ts';
import { withoutFolder } from '../files/without-folder.ts';
import type { ZipMember } from '../files/zip-directory.ts';
import type { ZipFile } from '../files/zip-file.ts';
import type { ImportFaults } from '../source/import-faults.ts';
import { MOST_CLASSES, MOST_OF_NAME } from '../source/import-source.ts';
import type { ImportSource, SourceAnnotation, SourceImage } from '../source/import-source.ts';
import { roundPixels } from './pixels.ts';

const MOST_OF_FILE = 4 * 1024 * 1024;

/** The documents of an archive in a folder `Annotations`, by which Pascal VOC is known. */
export function vocDocuments(zip: ZipFile): Promise<ZipMember[]> {
  return zip.all((name) => isDocument(name) && /(^|\/)annotations\//i.test(name));
}

function isDocument(name: string): boolean {
  return /\.xml$/i.test(name) && !/(^|\/)label-studio\.xml$/i.test(name);
}

/**
 * Reads an archive of Pascal VOC, of which all documents if none is in a folder `Annotations`: boxes in whole pixels
 * from 1, or with edges between them. `truncated`, `occluded`, `difficult` and a pose are attributes, like those that our exports list. Throws
 * FileFault.
 */
export async function vocSource(zip: ZipFile, faults: ImportFaults): Promise<ImportSource> {
  const names = new Set<string>();
  const images: SourceImage[] = [];
  const inFolder = await vocDocuments(zip);
  for (const member of inFolder.length > 0 ? inFolder : await zip.all(isDocument)) {
    const document = await readDocument(zip, member, faults);
    if (!document) continue;
    for (const object of objectsOf(document))
      names.add((textIn(object, 'name') ?? '').slice(0, 1000));
    if (names.size > MOST_CLASSES) throw new FileFault(`has more than ${MOST_CLASSES} classes`);
    const size = childOf(document, 'size');
    // Some programs write the name without its suffix, and all without the folders that the document is in.
    const place = withoutFolder(member.name, 'annotations').replace(/\.xml$/i, '');
    const fileName = textIn(document, 'filename')?.slice(0, MOST_OF_NAME) ?? '';
    const folder = /[/\\]/.test(fileName) ? '' : place.slice(0, place.lastIndexOf('/') + 1);
    const name = fileName === '' ? place : folder + fileName;
    images.push({
      file: member.name,
      name,
      stem: !IMAGE_SUFFIX.test(fileName),
      width: Number(textIn(size, 'width')) || null,
      height: Number(textIn(size, 'height')) || null,
      read: async (_, found) => {
        const again = await readDocument(zip, member, found);
        return again ? readObjects(again, { faults: found, file: member.name, image: name }) : [];
      },
    });
  }
  names.delete('');
  return { format: 'PASCAL_VOC', classes: [...names].map((name) => ({ name })), images };
}

async function readDocument(
  zip: ZipFile,
  member: ZipMember,
  faults: ImportFaults,
): Promise<XmlElement | undefined> {
  try {
    const document = readXml(await zip.text(member, MOST_OF_FILE));
    if (document.name === 'annotation') return document;
    throw new FileFault('is no annotation of Pascal VOC');
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    faults.add({ file: member.name, message: error.message });
    return undefined;
  }
}

function objectsOf(document: XmlElement): XmlElement[] {
  return document.children.filter(({ name }) => name === 'object');
}

function readObjects(
  document: XmlElement,
  { faults, ...place }: { faults: ImportFaults; file: string; image: string },
): SourceAnnotation[] {
  return objectsOf(document).flatMap((object, index) => {
    const label = `object ${index + 1}`;
    const className = textIn(object, 'name');
    const box = childOf(object, 'bndbox');
    const texts = ['xmin', 'ymin', 'xmax', 'ymax'].map((side) => textIn(box, side) ?? '');
    const [left, top, right, bottom] = texts.map((text) => (text === '' ? NaN : Number(text)));
    // Pixels count from 1. Edges, which CVAT writes, are from 0, and have a point.
    const start = texts.some((text) => text.includes('.')) ? 0 : 1;
    const fault = (message: string): [] => {
      faults.add({ ...place, object: label, message });
      return [];
    };
    if (!className) return fault('has no name');
    if (![left, top, right, bottom].every(Number.isFinite))
      return fault('has no bndbox of four numbers');
    // Some programs count from 0.
    const x = Math.max(0, roundPixels((left ?? 0) - start));
    const y = Math.max(0, roundPixels((top ?? 0) - start));
    const geometry = [x, y, roundPixels((right ?? 0) - x), roundPixels((bottom ?? 0) - y)];
    return [{ label, className, shape: 'BBOX', geometry, attributes: attributesOf(object) }];
  });
}

function attributesOf(object: XmlElement): Record<string, string | number | boolean> {
  const attributes = new Map<string, string | number | boolean>();
  const pose = textIn(object, 'pose');
  if (pose && pose.toLowerCase() !== 'unspecified') attributes.set('pose', pose);
  for (const flag of ['truncated', 'occluded', 'difficult'])
    if (textIn(object, flag) === '1') attributes.set(flag, true);
  for (const attribute of childOf(object, 'attributes')?.children ?? []) {
    const name = childOf(attribute, 'name')?.text;
    const value = childOf(attribute, 'value')?.text ?? '';
    if (attribute.name === 'attribute' && name)
      attributes.set(name, textIn(attribute, 'type') === 'text' ? value : readVocValue(value));
  }
  return Object.fromEntries(attributes);
}
