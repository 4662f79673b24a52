import type { BlobStore, StagedBlob } from '../../../core/context/storage.ts';
import { cocoSource, type CocoFile } from '../formats/coco-source.ts';
import { labelStudioSource } from '../formats/label-studio-source.ts';
import { vocDocuments, vocSource } from '../formats/voc-source.ts';
import { yoloLabels, yoloSource } from '../formats/yolo-source.ts';
import { FileFault } from '../files/file-fault.ts';
import type { ZipMember } from '../files/zip-directory.ts';
import { ZipFile } from '../files/zip-file.ts';
import { withoutFolder } from '../files/without-folder.ts';
import { readFileInto } from '../../../core/files/read-file-into.ts';
import type { ImportFaults } from '../source/import-faults.ts';
import type { ImportFormat, ImportSource } from '../source/import-source.ts';

/** A local file with annotations. */
export interface AnnotationFile {
  path: string;
  size: number;
  /** As faults call it. */
  name: string;
}

/** JSON that is unpacked of an archive, and files of it. */
const MOST_JSON = 1024 ** 3;
const MOST_FILES = 20;

/**
 * Opens a file with annotations: JSON of COCO or Label Studio, or an archive with one of these, with several of COCO, with YOLO
 * labels or Pascal VOC; of the given format, else of the one that it looks like. What is unpacked goes to `scratch`, which the
 * caller discards. Throws FileFault.
 */
export async function openSource(
  file: AnnotationFile,
  options: {
    format: ImportFormat | null;
    faults: ImportFaults;
    storage: BlobStore;
    scratch: StagedBlob[];
  },
): Promise<ImportSource> {
  const { format, faults, storage, scratch } = options;
  const head = Buffer.alloc(4);
  await readFileInto(file.path, head, 0);
  if (head.toString('latin1', 0, 2) !== 'PK') {
    if (format === 'YOLO' || format === 'PASCAL_VOC')
      throw new FileFault('is no ZIP archive: labels come in one');
    return openJson([{ ...file, folder: '' }], format, faults);
  }
  const zip = await ZipFile.open(file.path, file.size);
  const { json, wanted } = await choose(zip, format);
  if (wanted === 'YOLO') return yoloSource(zip);
  if (wanted === 'PASCAL_VOC') return vocSource(zip, faults);
  if (json.length === 0)
    throw new FileFault('has no annotations that are read: no JSON, no labels, no Annotations');
  if (json.length > MOST_FILES)
    throw new FileFault(`has ${json.length} JSON files, and ${MOST_FILES} are the most`);
  if (json.reduce((sum, { size }) => sum + size, 0) > MOST_JSON)
    throw new FileFault(`has more than ${MOST_JSON} bytes of JSON`);
  const files: CocoFile[] = [];
  for (const member of json) {
    const { name } = member;
    const unpacked = await storage.stage(zip.read(member), { maxBytes: MOST_JSON });
    scratch.push(unpacked);
    const place = json.length > 1 ? withoutFolder(name, 'annotations') : '';
    const folder = place.slice(0, place.lastIndexOf('/') + 1);
    files.push({ path: unpacked.path, name, folder });
  }
  return openJson(files, format, faults);
}

/** What is read of an archive: the format that it has most plainly; our own archives of any format have COCO, too. */
async function choose(
  zip: ZipFile,
  format: ImportFormat | null,
): Promise<{ wanted: ImportFormat | undefined; json: readonly ZipMember[] }> {
  const labelStudio = await zip.find(/(^|\/)label-studio\.json$/i);
  const coco = await zip.find(/(^|\/)coco\/annotations\.json$/i);
  const all = await zip.all((name) => /\.json$/i.test(name));
  const orAll = (json: ZipMember | undefined): readonly ZipMember[] => (json ? [json] : all);
  if (format) return { wanted: format, json: orAll(format === 'COCO' ? coco : labelStudio) };
  if (labelStudio) return { wanted: 'LABEL_STUDIO', json: [labelStudio] };
  if ((await vocDocuments(zip)).length > 0) return { wanted: 'PASCAL_VOC', json: [] };
  const named = (await zip.find(/(^|\/)classes\.txt$|\.names$|\.ya?ml$/i)) !== undefined;
  if ((named || all.length === 0) && (await yoloLabels(zip)).length > 0)
    return { wanted: 'YOLO', json: [] };
  return { wanted: undefined, json: orAll(coco) };
}

/** Of one archive only COCO comes in several files. */
async function openJson(
  files: readonly CocoFile[],
  format: ImportFormat | null,
  faults: ImportFaults,
): Promise<ImportSource> {
  const lists: CocoFile[] = [];
  for (const file of files)
    if (format === 'LABEL_STUDIO' || (format === null && (await isList(file)))) lists.push(file);
  const [list] = lists;
  if (!list) return cocoSource(files, faults);
  if (files.length > 1)
    throw new FileFault(
      'has several JSON files, and they are not all of COCO: import each of them by itself',
    );
  return labelStudioSource(list.path, list.name, faults);
}

/** COCO is an object, Label Studio a list. */
async function isList({ path }: CocoFile): Promise<boolean> {
  const head = Buffer.alloc(4096);
  const length = await readFileInto(path, head, 0);
  return head
    .toString('utf8', 0, length)
    .replace(/^\uFEFF/, '')
    .trimStart()
    .startsWith('[');
}
