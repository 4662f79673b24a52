import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Context } from '../../../core/context/context.ts';
import { labelFile, type ExportFormat } from './label-file.ts';
import { safeEntryName } from './safe-entry-name.ts';
import type { ExportedImage } from './select-images.ts';
import type { ZipEntry } from './zip-entry.ts';

/** The id makes the path unique and harmless names keep their look; ciphertext ends in `.enc`. */
export function imagePath(image: ExportedImage): string {
  return `images/${image.datasetId}/${image.id}-${safeEntryName(image.name)}${image.mimeType === null ? '.enc' : ''}`;
}

/** What an archive holds of an image: its file unless that is lost, its annotations, its labels. */
export function imageEntries(
  ctx: Context,
  format: ExportFormat,
  image: ExportedImage,
  lost: boolean,
): (ZipEntry & { sha256: string })[] {
  const read: ZipEntry['read'] = (target, position) =>
    ctx.storage.readInto(image.storageKey, target, position);
  const { size, crc32, sha256 } = image;
  const entries = lost ? [] : [{ name: imagePath(image), size, crc32, sha256, read }];
  if (image.state !== 'NONE' || image.annotations.length > 0) {
    const { id, name, width, height, state, annotations } = image;
    const content = {
      imageId: id,
      fileName: name,
      width,
      height,
      review: state,
      annotations: annotations.map(({ className, shape, geometry, coco, createdAt }) => ({
        class: className,
        shape,
        geometry,
        ...(coco && { coco }),
        createdAt,
      })),
    };
    entries.push(textEntry(`annotations/${id}.json`, `${JSON.stringify(content, null, 2)}\n`));
  }
  const labels = labelFile(format, image);
  if (labels) entries.push(textEntry(labels.name, labels.text));
  return entries;
}

function textEntry(name: string, text: string): ZipEntry & { sha256: string } {
  const bytes = Buffer.from(text);
  const read: ZipEntry['read'] = (target, position) =>
    Promise.resolve(bytes.copy(target, 0, position));
  return {
    name,
    size: bytes.length,
    crc32: crc32(bytes),
    sha256: createHash('sha256').update(bytes).digest('hex'),
    read,
  };
}
