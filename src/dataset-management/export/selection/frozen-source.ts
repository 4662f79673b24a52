import type { SignedInContext } from '../../../core/context/context.ts';
import { storedAttributes } from '../../projects/annotations/attributes.ts';
import { parseCocoExtra } from '../../projects/annotations/coco-extra.ts';
import { readImage, readWork } from '../../versions/freeze/frozen-content.ts';
import { frozenImages, frozenPoints, itemBytes } from '../../versions/freeze/frozen.sql.ts';
import { itemContents } from '../../versions/freeze/versions.sql.ts';
import type { OpenVersion } from '../../versions/open-version.ts';
import { ClassList } from './class-list.ts';
import type { ExportFilter } from './export-filter.ts';
import type { ExportSource } from './export-source.ts';
import type { ExportedAnnotation, ExportedImage } from './select-images.ts';

/** What an export of a version has of a project: exactly what was frozen, with the bytes of the images. */
export function frozenSource(
  ctx: SignedInContext,
  projectId: string,
  version: OpenVersion,
): ExportSource {
  const { imageChunks, workChunks, datasetId } = version;
  const classes = new ClassList();
  classes.add(version.classes);
  /** The items of each image. */
  const items = new Map<string, { item: number; work: number | null; bytes: number }>();
  return {
    classes: () => Promise.resolve(version.classes),
    async points() {
      const rows = await frozenPoints.rows(ctx.db, { chunks: workChunks });
      return new Map(rows.map(({ id, points }) => [id, points]));
    },
    async select({ filter, assignee }) {
      const rows = await frozenImages.rows(ctx.db, {
        ...{ imageChunks, workChunks, projectId, assignee },
        states: statesOf(filter),
        orAnnotated: filter === 'ANNOTATED',
      });
      for (const { id, item, work, bytes } of rows) items.set(id, { item, work, bytes });
      return rows.map(({ id, annotationCount }) => ({ id, annotationCount }));
    },
    bytesOf: (ids) => Promise.resolve(new Map(ids.map((id) => [id, items.get(id)?.bytes ?? 0]))),
    async load(ids) {
      const found = ids.flatMap((id) => items.get(id) ?? []);
      const images = await itemBytes.rows(ctx.db, { ids: found.map(({ item }) => item) });
      const works = await itemContents.rows(ctx.db, {
        ids: found.flatMap(({ work }) => work ?? []),
      });
      const byItem = new Map(images.map((row) => [row.item, row]));
      const workByItem = new Map(works.map(({ id, content }) => [id, content]));
      return found.flatMap(({ item, work }): ExportedImage[] => {
        const row = byItem.get(item);
        if (!row) return [];
        const { storageKey, size, sha256, crc32, thumbHash, keyNumber, proof } = row;
        const { id, name, path, width, height, mimeType, createdAt } = readImage(row.content);
        const text = work === null ? undefined : workByItem.get(work);
        const { state = 'NONE', annotations = [] } = text === undefined ? {} : readWork(text);
        return [
          {
            ...{ id, name, path, width, height, mimeType },
            ...{ storageKey, size, sha256, crc32, thumbHash, keyNumber, proof },
            datasetId,
            createdDate: new Date(createdAt),
            state,
            annotations: annotations.flatMap((one) => annotationOf(one, classes)),
          },
        ];
      });
    },
  };
}

/** As exports of a project have them. */
function statesOf(filter: ExportFilter): string[] | null {
  if (filter === 'ALL') return null;
  return filter === 'ACCEPTED' ? ['ACCEPTED'] : ['ANNOTATED', 'ACCEPTED', 'REJECTED'];
}

function annotationOf(
  frozen: ReturnType<typeof readWork>['annotations'][number],
  classes: ClassList,
): ExportedAnnotation[] {
  const { classId, shape, geometry, attributes, coco, createdAt } = frozen;
  const found = classes.find(classId);
  if (!found) return [];
  return [
    {
      ...found,
      shape,
      geometry,
      coco: parseCocoExtra(coco ?? null),
      attributes: storedAttributes(attributes),
      createdAt: new Date(createdAt),
    },
  ];
}
