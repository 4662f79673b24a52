import type { Context } from '../../../core/context/context.ts';
import { parseUuid } from '../../../core/uuid.ts';
import { cleanFileName } from '../../images/upload/clean-file-name.ts';
import { imagesBehind } from '../../projects/projects.sql.ts';
import type { RowOf } from '../../../core/sql/types.ts';
import { withoutFolder } from '../files/without-folder.ts';
import type { ImageName } from '../source/import-source.ts';
import { chooserOf } from './choose-image.ts';

/** An image of the project, as far as annotations need it. */
export type ProjectImage = RowOf<typeof imagesBehind.row> & { datasetName: string };

/** Images that are read at once: what else the process has to do is not to wait for all of a large project. */
const AT_ONCE = 1_000;
/** Before all images of a dataset. */
const START = { date: new Date(0), after: '00000000-0000-0000-0000-000000000000' };

/**
 * Finds a project's images by the names that a file has for them: by the id or the path in our exports; else by the last part
 * of the name, where of several images the longest path decides, then a folder with the name of their dataset; else by the id in front
 * of a name in our exports, or by the name behind it; else without what Label Studio puts in front of the names of uploads.
 */
export async function imageFinder(
  ctx: Context,
  projectId: string,
): Promise<(image: ImageName) => ProjectImage | undefined> {
  const byId = new Map<string, ProjectImage>();
  /** Undefined where images of several datasets have the path. */
  const byPath = new Map<string, ProjectImage | undefined>();
  const byName = new Map<string, ProjectImage[]>();
  const byStem = new Map<string, ProjectImage[]>();
  for await (const images of imagesOf(ctx, projectId))
    for (const image of images) {
      const { id, name, path } = image;
      byId.set(id, image);
      if (path !== null) byPath.set(path, byPath.has(path) ? undefined : image);
      addTo(byName, nfc(name), image);
      addTo(byStem, nfc(stemOf(name)), image);
    }
  const choosers = new Map<readonly ProjectImage[], ReturnType<typeof ofName>>();
  const named = (base: string, folders: readonly string[], orStem: boolean) => {
    const given = storedName(base);
    const stem = orStem && byStem.has(nfc(given));
    const found = (stem ? byStem : byName).get(nfc(given)) ?? [];
    if (found.length < 2) return found[0];
    const choose = choosers.get(found) ?? (stem ? ofStem(found) : ofName(found));
    choosers.set(found, choose);
    return choose({
      whole: nfc([...folders, base].join('/')),
      folders: folders.map(nfc),
      form: given,
    });
  };
  return ({ name, path, stem = false, uuid }) => {
    const known = byId.get(parseUuid(uuid ?? '') ?? '');
    if (known) return known;
    const there = path ? byPath.get(nfc(path)) : undefined;
    if (there) return there;
    const folders = name.split(/[/\\]/);
    const base = folders.pop() ?? '';
    const given = nfc(storedName(base));
    if (byName.has(given) || (stem && byStem.has(given))) return named(base, folders, stem);
    return (
      byId.get(parseUuid(base.slice(0, 36)) ?? '') ??
      named(base.replace(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-/i, ''), folders, stem) ??
      named(base.replace(/^[0-9a-f]{8}-/, ''), folders, stem)
    );
  };
}

const ofName = (images: readonly ProjectImage[]) =>
  chooserOf(
    images,
    (name) => name,
    (path) => path,
  );

/** As names of labels have paths: without the suffix and, as they are not in `labels`, without a folder `images`. */
const ofStem = (images: readonly ProjectImage[]) =>
  chooserOf(images, stemOf, (path) => withoutFolder(stemOf(path), 'images'));

function stemOf(name: string): string {
  return name.replace(/\.[^./]*$/, '').trim();
}

function addTo(groups: Map<string, ProjectImage[]>, key: string, image: ProjectImage): void {
  const same = groups.get(key);
  if (same) same.push(image);
  else groups.set(key, [image]);
}

/** The images of a project, some at once. */
async function* imagesOf({ db }: Context, projectId: string): AsyncGenerator<ProjectImage[]> {
  const assigned = await db.prisma.projectDataset.findMany({
    where: { projectId, dataset: { deletedAt: null } },
    select: { dataset: { select: { id: true, name: true } } },
  });
  for (const { dataset } of assigned)
    for (let [place, all] = [START, false]; !all;) {
      const which = { projectId, datasetId: dataset.id, ...place, limit: AT_ONCE };
      const rows = await imagesBehind.rows(db, which);
      yield rows.map((row) => ({ ...row, datasetName: dataset.name }));
      const last = rows.at(-1);
      all = !last || rows.length < AT_ONCE;
      if (last) place = { date: last.createdDate, after: last.id };
    }
}

/** The name as an upload of this file would have stored it. */
function storedName(base: string): string {
  try {
    return cleanFileName(base);
  } catch {
    return base;
  }
}

/** Names are stored as they were sent, and a file may have them in any form of Unicode: they are compared in one. */
function nfc(name: string): string {
  return name.normalize('NFC');
}
