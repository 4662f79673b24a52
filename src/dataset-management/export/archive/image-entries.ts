import type { Context } from '../../../core/context/context.ts';
import { partedFile, type ArchiveFile } from '../files/archive-file.ts';
import type { PlacedImage } from '../formats/label-writer.ts';
import type { ExportedImage } from '../selection/select-images.ts';

/** What every archive holds of an image: its file unless that is lost, and its annotations. */
export async function imageEntries(
  ctx: Context,
  { image, path, lost, annotated }: PlacedImage,
): Promise<ArchiveFile[]> {
  const { size, crc32, sha256, storageKey } = image;
  const read: ArchiveFile['read'] = (target, position) =>
    ctx.storage.readInto(storageKey, target, position);
  const { id, mimeType, keyNumber: key, thumbHash: thumbnail, proof } = image;
  // Null for ciphertext.
  const encrypted = mimeType === null && { encrypted: { image: id, key, thumbnail, proof } };
  const entries: ArchiveFile[] = lost
    ? []
    : [{ name: path, size, crc32, sha256, read, ...encrypted }];
  if (annotated) {
    const { name, width, height, state, annotations } = image;
    const about = {
      imageId: id,
      fileName: name,
      ...(image.path !== null && { path: image.path }),
      width,
      height,
      review: state,
    };
    entries.push(await partedFile(`annotations/${id}.json`, linesOf(about, annotations)));
  }
  return entries;
}

/** A line for each annotation: indented, the numbers of an outline would take ten times as much. */
function* linesOf(about: object, annotations: ExportedImage['annotations']): Generator<string> {
  yield `${JSON.stringify(about, null, 2).replace(/\n}$/, '')},\n  "annotations": [`;
  let before = '';
  for (const { className, shape, geometry, attributes, coco, createdAt } of annotations) {
    const annotation = {
      class: className,
      shape,
      geometry,
      ...(attributes && { attributes }),
      ...(coco && { coco }),
      createdAt,
    };
    yield `${before}\n    ${JSON.stringify(annotation)}`;
    before = ',';
  }
  yield before === '' ? ']\n}\n' : '\n  ]\n}\n';
}
