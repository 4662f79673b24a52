import type { BlobStore, StagedBlob } from '../../../core/context/storage.ts';
import { cocoSource } from '../formats/coco-source.ts';
import { labelStudioSource } from '../formats/label-studio-source.ts';
import { vocDocuments, vocSource } from '../formats/voc-source.ts';
import { yoloLabels, yoloSource } from '../formats/yolo-source.ts';
import { FileFault } from '../files/file-fault.ts';
import type { ZipMember } from '../files/zip-directory.ts';
import { ZipFile } from '../files/zip-file.ts';
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

/** JSON that is unpacked of an archive. */
const MOST_JSON = 1024 ** 3;

/**
 * Opens a file with annotations: JSON of COCO or Label Studio, or an archive with one of these, YOLO labels or Pascal VOC; of
 * the given format, else of the one that it looks like. What is unpacked goes to `scratch`, which the caller discards. Throws
 * FileFault.
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
  const { format, faults } = options;
  const head = Buffer.alloc(4);
  await readFileInto(file.path, head, 0);
  if (head.toString('latin1', 0, 2) !== 'PK') {
    if (format === 'YOLO' || format === 'PASCAL_VOC')
      throw new FileFault('is no ZIP archive: labels come in one');
    return openJson(file.path, file.name, format, faults);
  }
  const zip = await ZipFile.open(file.path, file.size);
  const { json, wanted } = choose(zip, format);
  if (wanted === 'YOLO') return yoloSource(zip);
  if (wanted === 'PASCAL_VOC') return vocSource(zip, faults);
  if (!json)
    throw new FileFault(
      zip.find(/\.json$/i)
        ? 'has several JSON files: import each of them by itself'
        : 'has no annotations that are read: no JSON, no labels, no Annotations',
    );
  if (json.size > MOST_JSON) throw new FileFault(`${json.name} has more than ${MOST_JSON} bytes`);
  const unpacked = await options.storage.stage(zip.read(json), { maxBytes: MOST_JSON });
  options.scratch.push(unpacked);
  return openJson(unpacked.path, json.name, format, faults);
}

/** What is read of an archive: the format that it has most plainly; our own archives of any format have COCO, too. */
function choose(
  zip: ZipFile,
  format: ImportFormat | null,
): { wanted: ImportFormat | undefined; json?: ZipMember | undefined } {
  const labelStudio = zip.find(/(^|\/)label-studio\.json$/i);
  const coco = zip.find(/(^|\/)coco\/annotations\.json$/i);
  const jsons = zip.members.filter(({ name }) => /\.json$/i.test(name));
  const json =
    format === 'COCO' ? coco : format === 'LABEL_STUDIO' ? labelStudio : (labelStudio ?? coco);
  const [single] = jsons.length === 1 ? jsons : [];
  if (format) return { wanted: format, json: json ?? single };
  if (labelStudio) return { wanted: 'LABEL_STUDIO', json: labelStudio };
  if (vocDocuments(zip).length > 0) return { wanted: 'PASCAL_VOC' };
  if (yoloLabels(zip).length > 0 && zip.find(/(^|\/)classes\.txt$|\.names$|\.ya?ml$/i))
    return { wanted: 'YOLO' };
  return { wanted: undefined, json: coco ?? single };
}

/** COCO is an object, Label Studio a list. */
async function openJson(
  path: string,
  name: string,
  format: ImportFormat | null,
  faults: ImportFaults,
): Promise<ImportSource> {
  const head = Buffer.alloc(4096);
  const length = await readFileInto(path, head, 0);
  const [first] = head
    .toString('utf8', 0, length)
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (format === 'COCO' || (format === null && first !== '['))
    return cocoSource(path, name, faults);
  return labelStudioSource(path, name, faults);
}
