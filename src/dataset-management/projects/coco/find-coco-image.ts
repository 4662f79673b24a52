import type { Context } from '../../../core/context/context.ts';
import { parseUuid } from '../../../core/uuid.ts';
import { cleanFileName } from '../../images/upload/clean-file-name.ts';
import { projectImages } from '../projects.sql.ts';
import type { CocoImage } from './read-coco.ts';

/** An image of the project, as far as annotations need it. */
export interface ProjectImage {
  id: string;
  name: string;
  width: number;
  height: number;
  datasetName: string;
}

/**
 * Finds a project's images for those of a COCO file: by the `uuid` in our exports; else by the last part of the file
 * name, where a folder with a dataset's name decides between several images; else by the id at the start of a file name
 * in our exports.
 */
export async function imageFinder(
  ctx: Context,
  projectId: string,
): Promise<(image: CocoImage) => ProjectImage | undefined> {
  const byId = new Map<string, ProjectImage>();
  const byName = new Map<string, ProjectImage[]>();
  for (const image of await projectImages.rows(ctx.db, { projectId })) {
    byId.set(image.id, image);
    const same = byName.get(image.name);
    if (same) same.push(image);
    else byName.set(image.name, [image]);
  }
  return ({ file_name, uuid }) => {
    const named = byId.get(parseUuid(uuid ?? '') ?? '');
    if (named) return named;
    const folders = file_name.split(/[/\\]/);
    const base = folders.pop() ?? '';
    const found = byName.get(storedName(base)) ?? [];
    const inFolder = found.filter(({ datasetName }) => folders.includes(datasetName));
    if (found.length > 0) return only(found) ?? only(inFolder);
    return byId.get(parseUuid(base.slice(0, 36)) ?? '');
  };
}

/** The name as an upload of this file would have stored it. */
function storedName(base: string): string {
  try {
    return cleanFileName(base);
  } catch {
    return base;
  }
}

function only<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}
