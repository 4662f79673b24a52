import type { SignedInContext } from '../../../core/context/context.ts';
import type { StagedBlob } from '../../../core/context/storage.ts';
import { presentStatus } from '../../datasets/dataset.ts';
import {
  listAnnotationClasses,
  type AnnotationClass,
} from '../../projects/annotations/list-annotation-classes.ts';
import { presentCoco } from '../../projects/annotations/coco-extra.ts';
import type { Project } from '../../projects/project.ts';
import { presentExportFilter, type ExportFilter } from './export-filter.ts';
import { imageEntries, imagePath } from './image-entries.ts';
import type { ExportFormat } from './label-file.ts';
import { noteMissing } from './missing-images.ts';
import { loadExportedImages, selectImages, type ExportedImage } from './select-images.ts';
import { openSpool, readFrom, readSpool, type Spool } from './spool.ts';
import type { ZipEntry } from './zip-entry.ts';

export interface ArchivePlan {
  project: Project;
  filter: ExportFilter;
  format: ExportFormat;
  exportedAt: Date;
  /** Called with the share of images that are written, 0 to 1. */
  onProgress?: (share: number) => void;
  /** Called with the number of images whose files are lost, once it is known. */
  onMissing?: (count: number) => void;
}

const BATCH = 200;

/** Local files that are needed until the archive is written; whoever writes it discards them. */
export type Scratch = { discard(): Promise<void> }[];

interface Spools {
  /** One line of `project.json` for each file. */
  files: Spool;
  cocoImages: Spool;
  cocoAnnotations: Spool;
}

/**
 * The entries of an export (D-64): each image with its annotations, then `coco/annotations.json`, `missing.txt` if
 * files were lost, at last `project.json` with the SHA-256 of all. Memory stays flat.
 */
export async function* archiveEntries(
  ctx: SignedInContext,
  plan: ArchivePlan,
  scratch: Scratch,
): AsyncGenerator<ZipEntry> {
  const spools: Spools = {
    files: openSpool(ctx.storage),
    cocoImages: openSpool(ctx.storage),
    cocoAnnotations: openSpool(ctx.storage),
  };
  const missing = noteMissing(ctx, plan.project.id);
  scratch.push(spools.files, spools.cocoImages, spools.cocoAnnotations, missing.list);
  const classes = await listAnnotationClasses(ctx, plan.project.id);
  const counts = { images: 0, annotations: 0, files: 0 };
  const noteFile = async (path: string, size: number, sha256: string): Promise<void> => {
    await spools.files.write(
      `${counts.files++ === 0 ? '' : ','}\n    ${JSON.stringify({ path, size, sha256 })}`,
    );
  };
  if (plan.filter !== 'CONFIG_ONLY') {
    const ids = await selectImages(ctx, plan.project.id, plan.filter);
    const load = async (at: number) => {
      const images = await loadExportedImages(ctx, plan.project.id, ids.slice(at, at + BATCH));
      return { images, lost: await missing.among(images) };
    };
    let next = load(0);
    for (let at = 0; at < ids.length; at += BATCH) {
      const { images, lost } = await next;
      next = load(at + BATCH);
      next.catch(() => undefined);
      for (const image of images) {
        if (lost.has(image)) await missing.note(imagePath(image));
        for (const entry of imageEntries(ctx, plan.format, image, lost.has(image))) {
          await noteFile(entry.name, entry.size, entry.sha256);
          yield entry;
        }
        await spoolCoco(spools, image, imagePath(image), counts);
        plan.onProgress?.(counts.images / ids.length);
      }
    }
    const coco = await writeCoco(ctx, plan, classes, spools);
    scratch.push(coco);
    await noteFile('coco/annotations.json', coco.size, coco.sha256);
    yield {
      name: 'coco/annotations.json',
      size: coco.size,
      crc32: coco.crc32,
      read: readFrom(coco),
    };
  }
  if (missing.count > 0) {
    const list = await missing.list.end();
    await noteFile('missing.txt', list.size, list.sha256);
    yield { name: 'missing.txt', size: list.size, crc32: list.crc32, read: readFrom(list) };
  }
  plan.onMissing?.(missing.count);
  const description = await writeDescription(ctx, plan, {
    classes,
    counts: { ...counts, missing: missing.count },
    files: await spools.files.end(),
  });
  scratch.push(description);
  yield {
    name: 'project.json',
    size: description.size,
    crc32: description.crc32,
    read: readFrom(description),
  };
}

/** COCO wants integers for ids: images and annotations are numbered as they come. */
async function spoolCoco(
  spools: Spools,
  image: ExportedImage,
  path: string,
  counts: { images: number; annotations: number },
): Promise<void> {
  const imageId = ++counts.images;
  const { id: uuid, width, height, createdDate } = image;
  await spools.cocoImages.write(
    `${imageId === 1 ? '' : ','}\n    ${JSON.stringify({ id: imageId, file_name: path, width, height, date_captured: createdDate, uuid })}`,
  );
  for (const annotation of image.annotations) {
    const id = ++counts.annotations;
    const numbers = { id, image_id: imageId, category_id: annotation.category };
    await spools.cocoAnnotations.write(
      `${id === 1 ? '' : ','}\n    ${JSON.stringify({ ...numbers, ...presentCoco(annotation, image) })}`,
    );
  }
}

async function writeCoco(
  ctx: SignedInContext,
  plan: ArchivePlan,
  classes: readonly AnnotationClass[],
  spools: Spools,
): Promise<StagedBlob> {
  const [images, annotations] = [await spools.cocoImages.end(), await spools.cocoAnnotations.end()];
  const info = { description: plan.project.name, version: '1.0', date_created: plan.exportedAt };
  const categories = classes.map(({ position, name, color }) => ({
    id: position,
    name,
    supercategory: '',
    color,
  }));
  return ctx.storage.stage(
    (async function* () {
      yield Buffer.from(
        `{\n  "info": ${JSON.stringify(info)},\n  "licenses": [],\n  "categories": ${JSON.stringify(categories)},\n  "images": [`,
      );
      yield* readSpool(images);
      yield Buffer.from('\n  ],\n  "annotations": [');
      yield* readSpool(annotations);
      yield Buffer.from('\n  ]\n}\n');
    })(),
  );
}

async function writeDescription(
  ctx: SignedInContext,
  plan: ArchivePlan,
  {
    classes,
    counts,
    files,
  }: {
    classes: readonly AnnotationClass[];
    counts: Record<'images' | 'missing' | 'annotations' | 'files', number>;
    /** Ended: one line for each file. */
    files: StagedBlob;
  },
): Promise<StagedBlob> {
  const { project, filter, format, exportedAt } = plan;
  const datasets = await ctx.db.prisma.dataset.findMany({
    where: { deletedAt: null, projects: { some: { projectId: project.id } } },
    select: { id: true, name: true, description: true, status: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  const head = {
    formatVersion: '1.0',
    exportedAt,
    filter: presentExportFilter(filter),
    format,
    project: {
      id: project.id,
      name: project.name,
      description: project.description,
      status: presentStatus(project.status),
    },
    encryption: project.encrypted
      ? { algorithm: 'AES-256-CBC', initialisationVector: 'first 16 bytes of each image' }
      : null,
    classes: classes.map(({ id, name, color, position }) => ({ id, name, color, position })),
    datasets: datasets.map(({ status, ...dataset }) => ({
      ...dataset,
      status: presentStatus(status),
    })),
    counts,
  };
  return ctx.storage.stage(
    (async function* () {
      yield Buffer.from(`${JSON.stringify(head, null, 2).replace(/\n}$/, '')},\n  "files": [`);
      yield* readSpool(files);
      yield Buffer.from('\n  ]\n}\n');
    })(),
  );
}
