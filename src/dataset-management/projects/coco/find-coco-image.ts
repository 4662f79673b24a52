import type { Context } from '../../../core/context/context.ts';
import { parseUuid } from '../../../core/uuid.ts';
import { cleanFileName } from '../../images/upload/clean-file-name.ts';
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
 * Finds images of a project for those of a COCO file: by `uuid`, which our exports give, else by the last part of the file name, where several images have it by a
 * folder that is called like one dataset, else by the id in front of a file name of our exports.
 */
export async function imageFinder(
  ctx: Context,
  projectId: string,
): Promise<(image: CocoImage) => ProjectImage | undefined> {
  const rows = await ctx.db.rows(
    'SELECT i.id, i.name, i.width, i.height, d.name FROM project_dataset pd JOIN dataset d ON d.id = pd.dataset_id AND d.deleted_at IS NULL JOIN image i ON i.dataset_id = d.id AND i.deleted_at IS NULL WHERE pd.project_id = $1',
    [projectId],
  );
  const byId = new Map<string, ProjectImage>();
  const byName = new Map<string, ProjectImage[]>();
  for (const [id, name, width, height, datasetName] of rows) {
    const image: ProjectImage = {
      id: id ?? '',
      name: name ?? '',
      width: Number(width),
      height: Number(height),
      datasetName: datasetName ?? '',
    };
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
