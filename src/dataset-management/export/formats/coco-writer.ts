import type { StagedBlob } from '../../../core/context/storage.ts';
import { presentCoco } from '../../projects/annotations/coco-extra.ts';
import { openSpool, readSpool, type Spool } from '../files/spool.ts';
import type { ExportedAnnotation } from '../selection/select-images.ts';
import { stagedFile, type ArchiveFile } from '../files/archive-file.ts';
import type { LabelSource, LabelWriter } from './label-writer.ts';
import { countPoints, pointsOf } from './name-points.ts';
import { partsOf } from '../selection/split.ts';

/** Which images a file has: all, or those of a part. */
interface CocoFile {
  name: string;
  part: string | null;
  images: Spool;
  annotations: Spool;
  /** Nothing was written yet to either. */
  empty: { images: boolean; annotations: boolean };
}

/**
 * COCO: `coco/annotations.json`, and `coco/<part>.json` for each part of a split. COCO wants integers for ids: images
 * and annotations are numbered as they come, the same in each file.
 */
export function cocoWriter(source: LabelSource): LabelWriter {
  const open = (name: string, part: string | null): CocoFile => {
    const [images, annotations] = [openSpool(source.storage), openSpool(source.storage)];
    source.scratch.push(images, annotations);
    return { name, part, images, annotations, empty: { images: true, annotations: true } };
  };
  const files = [
    open('coco/annotations.json', null),
    ...(source.split ? partsOf(source.split) : []).map((part) => open(`coco/${part}.json`, part)),
  ];
  const counts = { images: 0, annotations: 0 };
  // Annotations that come while the export runs may have more.
  const points = new Map(source.points);
  return {
    async add({ image, path, part, annotated }) {
      // In a part, an image that nobody has looked at would count as one with nothing on it.
      const targets = files.filter(
        (file) => file.part === null || (annotated && file.part === part),
      );
      const { id: uuid, width, height, createdDate } = image;
      const id = ++counts.images;
      const about = {
        ...(image.path !== null && { path: image.path }),
        // Read as a file of COCO, an image without annotations is one with nothing on it.
        ...(!annotated && { annotated }),
      };
      const row = {
        id,
        file_name: path,
        width,
        height,
        date_captured: createdDate,
        uuid,
        ...about,
      };
      for (const file of targets) await append(file, 'images', row);
      for (const annotation of image.annotations) {
        source.report.wrote(annotation, lossesOf(annotation));
        const { id: classId = '' } = source.classes[annotation.classIndex] ?? {};
        points.set(classId, Math.max(points.get(classId) ?? 0, countPoints(annotation)));
        const ids = { id: ++counts.annotations, image_id: id, category_id: annotation.category };
        const row = { ...ids, ...presentCoco(annotation, image) };
        for (const file of targets) await append(file, 'annotations', row);
      }
      if (part && !annotated) source.report.image('not annotated: in no part');
      else source.report.image('written', part);
      return [];
    },
    async end() {
      const written: ArchiveFile[] = [];
      for (const file of files) {
        const blob = await writeFile({ ...source, points }, file);
        source.scratch.push(blob);
        written.push(stagedFile(file.name, blob));
      }
      return written;
    },
  };
}

function lossesOf({ shape }: ExportedAnnotation): string[] {
  if (shape === 'CLASSIFICATION') return ['a box around the image, told apart by "shape"'];
  return shape === 'POLYLINE' ? ['a box, told apart by "shape"; "polyline" has the lines'] : [];
}

async function append(file: CocoFile, to: 'images' | 'annotations', row: object): Promise<void> {
  await file[to].write(`${file.empty[to] ? '' : ','}\n    ${JSON.stringify(row)}`);
  file.empty[to] = false;
}

async function writeFile(source: LabelSource, file: CocoFile): Promise<StagedBlob> {
  const [images, annotations] = [await file.images.end(), await file.annotations.end()];
  const info = {
    description: source.project.name,
    version: '1.0',
    date_created: source.exportedAt,
  };
  const categories = source.classes.map((named) => {
    const { position: id, name, supercategory, color } = named;
    const skeleton = pointsOf(named, source);
    return {
      id,
      name,
      supercategory: supercategory ?? '',
      color,
      ...(skeleton && { keypoints: skeleton.points, skeleton: skeleton.edges }),
    };
  });
  return source.storage.stage(
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
