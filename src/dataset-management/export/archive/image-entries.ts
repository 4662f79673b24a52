import type { Context } from '../../../core/context/context.ts';
import { textFile, type ArchiveFile } from '../files/archive-file.ts';
import type { PlacedImage } from '../formats/label-writer.ts';

/** What every archive holds of an image: its file unless that is lost, and its annotations. */
export function imageEntries(
  ctx: Context,
  { image, path, lost, annotated }: PlacedImage,
): ArchiveFile[] {
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
    const content = {
      imageId: id,
      fileName: name,
      ...(image.path !== null && { path: image.path }),
      width,
      height,
      review: state,
      annotations: annotations.map(
        ({ className, shape, geometry, attributes, coco, createdAt }) => ({
          class: className,
          shape,
          geometry,
          ...(attributes && { attributes }),
          ...(coco && { coco }),
          createdAt,
        }),
      ),
    };
    entries.push(textFile(`annotations/${id}.json`, `${JSON.stringify(content, null, 2)}\n`));
  }
  return entries;
}
