import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../../core/context/context.ts';
import { loaderById } from '../../../core/lists/load-by-id.ts';
import {
  readClasses,
  readImage,
  readWork,
  type FrozenAnnotation,
  type FrozenImage,
  type FrozenWork,
} from '../freeze/frozen-content.ts';
import { classItems, itemContents } from '../freeze/versions.sql.ts';

/** Some items of an image in a version. */
export interface FrozenContents {
  image: FrozenImage | null;
  works: FrozenWork[];
}

const itemLoader = loaderById(
  ({ reads }: SignedInContext, ids: readonly number[]) => itemContents.quickRows(reads, { ids }),
  { maxBatchSize: 200 },
);

/** Reads items that a version of a dataset has, which the viewer has been given. */
export async function loadContents(
  ctx: SignedInContext,
  datasetId: string,
  ids: readonly number[],
): Promise<FrozenContents> {
  const contents: FrozenContents = { image: null, works: [] };
  for (const item of await Promise.all(ids.map((id) => itemLoader(ctx).load(id)))) {
    if (item?.ofId === datasetId) contents.image = readImage(item.content);
    else if (item) contents.works.push(readWork(item.content));
  }
  return contents;
}

/** Its annotations by project and id. */
export function readAnnotationsOf({
  works,
}: FrozenContents): Map<string, { projectId: string; annotation: FrozenAnnotation }> {
  return new Map(
    works.flatMap(({ projectId, annotations }) =>
      annotations.map(
        (annotation) => [`${projectId} ${annotation.id}`, { projectId, annotation }] as const,
      ),
    ),
  );
}

const classLoader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<string, Map<string, string>>(async (versionIds) => {
      const rows = await classItems.rows(ctx.db, { versionIds });
      return versionIds.map(
        (id) =>
          new Map(
            rows
              .filter(({ versionId }) => versionId === id)
              .flatMap(({ content }) => readClasses(content).classes)
              .map((one) => [one.id, one.name]),
          ),
      );
    }),
);

/** The name that a class had in a version which the viewer has been given. */
export async function loadClassName(
  ctx: SignedInContext,
  { versionId, classId }: { versionId: string; classId: string },
): Promise<string> {
  return (await classLoader(ctx).load(versionId)).get(classId) ?? '';
}
