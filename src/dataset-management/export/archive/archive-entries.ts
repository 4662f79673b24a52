import type { SignedInContext } from '../../../core/context/context.ts';
import { limitParallel } from '../../../core/turns/limit.ts';
import {
  leaveMemory,
  stagedFile,
  textFile,
  type ArchiveFile,
  type Scratch,
} from '../files/archive-file.ts';
import { ExportReport } from '../formats/export-report.ts';
import { placeImage } from '../formats/image-place.ts';
import type { PlacedImage } from '../formats/label-writer.ts';
import { openLabels } from '../formats/open-labels.ts';
import { partOf } from '../selection/split.ts';
import type { ArchivePlan } from './archive-plan.ts';
import { describeArchive } from './describe-archive.ts';
import { signArchive } from './sign-archive.ts';
import { sourceOf } from '../selection/open-source.ts';
import { imageEntries } from './image-entries.ts';
import { noteMissing } from './missing-images.ts';
import { batchImages } from '../selection/batch-images.ts';
import type { ExportedImage } from '../selection/select-images.ts';
import { openSpool } from '../files/spool.ts';
import type { ZipEntry } from '../files/zip-entry.ts';

/**
 * Large images take turns, of all exports of this process: one with 32 MiB of annotations takes some 200 MB until its
 * files are made.
 */
const inTurn = limitParallel(1);

/**
 * The entries of an export (D-64): each image with its annotations, then the files of the formats, `report.json` where
 * a format can't carry all, `missing.txt` if files were lost, at last `project.json` with the SHA-256 of all, and
 * the signed list of the files. Memory stays flat: the next images are loaded while these are sent, but large ones only
 * when it is their turn, and what is written of those waits on the disk.
 */
export async function* archiveEntries(
  ctx: SignedInContext,
  plan: ArchivePlan,
  scratch: Scratch,
): AsyncGenerator<ZipEntry> {
  const { project, filter, format, split, exportedAt } = plan;
  const { storage } = ctx;
  const files = openSpool(storage);
  const missing = noteMissing(ctx, project.id);
  scratch.push(files, missing.list);
  const content = sourceOf(ctx, project.id, plan.version);
  const classes = await content.classes();
  const counts = { images: 0, annotations: 0, files: 0 };
  const noted = async (file: ArchiveFile): Promise<ArchiveFile> => {
    const { name: path, size, sha256, encrypted } = file;
    await files.write(
      `${counts.files++ === 0 ? '' : ','}\n    ${JSON.stringify({ path, size, sha256, encrypted })}`,
    );
    return file;
  };
  if (filter !== 'CONFIG_ONLY') {
    const report = new ExportReport();
    const points = await content.points();
    const source = { storage, scratch, project, exportedAt, classes, points, split, report };
    const writers = openLabels(format, source);
    const { assignee } = plan;
    const images = await content.select({ filter, assignee });
    const batches = batchImages(content, images);
    const load = async (ids: readonly string[]) => {
      const loaded = await content.load(ids);
      return { loaded, lost: await missing.among(loaded) };
    };
    const loadNext = async () => {
      const { value: batch } = await batches.next();
      return batch && { batch, ready: batch.isLarge ? undefined : await load(batch.ids) };
    };
    const filesOf = async (image: ExportedImage, isLost: boolean): Promise<ArchiveFile[]> => {
      const placed = place(image, plan, isLost);
      if (placed.lost) await missing.note(placed.path);
      const made = await imageEntries(ctx, placed);
      for (const writer of writers) made.push(...(await writer.add(placed)));
      counts.images++;
      counts.annotations += image.annotations.length;
      plan.onProgress?.(counts.images / images.length);
      return made;
    };
    const loadLarge = (ids: readonly string[]): Promise<ArchiveFile[]> =>
      inTurn(async () => {
        const { loaded, lost } = await load(ids);
        const files: ArchiveFile[] = [];
        for (const image of loaded)
          for (const file of await filesOf(image, lost.has(image)))
            files.push(await leaveMemory({ storage, scratch }, file));
        return files;
      });
    let next = loadNext();
    for (let now = await next; now; now = await next) {
      next = loadNext();
      next.catch(() => undefined);
      if (!now.ready) for (const file of await loadLarge(now.batch.ids)) yield await noted(file);
      for (const image of now.ready?.loaded ?? []) {
        const isLost = now.ready?.lost.has(image) ?? false;
        for (const file of await filesOf(image, isLost)) yield await noted(file);
      }
    }
    for (const writer of writers) for (const file of await writer.end()) yield await noted(file);
    if (format !== 'NATIVE') yield await noted(textFile('report.json', report.write(format)));
  }
  if (missing.count > 0) yield await noted(stagedFile('missing.txt', await missing.list.end()));
  plan.onMissing?.(missing.count);
  const list = await files.end();
  const described = { classes, counts: { ...counts, missing: missing.count }, files: list };
  const description = await describeArchive(ctx, plan, described);
  scratch.push(description);
  const last = stagedFile('project.json', description);
  yield last;
  yield* signArchive(ctx, plan, { files: list, last, scratch });
}

function place(image: ExportedImage, { format, split }: ArchivePlan, lost: boolean): PlacedImage {
  return {
    ...placeImage(image, format),
    image,
    lost,
    annotated: image.state !== 'NONE' || image.annotations.length > 0,
    part: split ? partOf(split, image) : null,
  };
}
