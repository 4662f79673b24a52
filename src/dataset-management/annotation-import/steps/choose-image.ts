/** What images of one name are told apart by. */
interface SameName {
  name: string;
  path: string | null;
  datasetName: string;
}

/** How a file names one of them: the whole name, its folders, and its last part as it is written. */
interface Wanted {
  whole: string;
  folders: readonly string[];
  form: string;
}

/**
 * Chooses among images of one name: by the longest path that is an end of the whole name, or of which it is an end; then by
 * a folder with the name of their dataset; then by the form of Unicode. Undefined where several fit. Takes time by the
 * folders of a name, not by the number of images. `formOf` is what of names is compared, `placeOf` what of paths.
 */
export function chooserOf<Image extends SameName>(
  images: readonly Image[],
  formOf: (name: string) => string,
  placeOf: (path: string) => string,
): (wanted: Wanted) => Image | undefined {
  const places = images
    .flatMap((image) => (image.path === null ? [] : { key: inwards(placeOf(image.path)), image }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const byDataset = singly(images, ({ datasetName }) => datasetName.normalize('NFC'));
  const byForm = singly(images, ({ name }) => formOf(name));
  return ({ whole, folders, form }) => {
    const [dataset, ...others] = new Set(folders.filter((folder) => byDataset.has(folder)));
    return (
      nearest(places, inwards(whole)) ??
      (dataset === undefined || others.length > 0 ? undefined : byDataset.get(dataset)) ??
      byForm.get(form)
    );
  };
}

interface Place<Image> {
  key: string;
  image: Image;
}

/** A path from its last part on, so that paths with one end are side by side in a sorted list. */
function inwards(path: string): string {
  return `${path.split('/').reverse().join('/')}/`;
}

function nearest<Image>(places: readonly Place<Image>[], key: string): Image | undefined {
  const at = placeFrom(places, key);
  const [here, next] = [places[at], places[at + 1]];
  if (here?.key === key && next?.key !== key) return here.image;
  if (here?.key.startsWith(key)) return next?.key.startsWith(key) ? undefined : here.image;
  for (let end = before(key, key.length); end > 0; end = before(key, end)) {
    const tail = key.slice(0, end);
    const found = placeFrom(places, tail);
    if (places[found]?.key === tail)
      return places[found + 1]?.key === tail ? undefined : places[found]?.image;
  }
  return undefined;
}

/** Where the part of a key before its last one ends. */
function before(key: string, end: number): number {
  return key.lastIndexOf('/', end - 2) + 1;
}

/** The first place that is not before a key. */
function placeFrom(places: readonly Place<unknown>[], key: string): number {
  let [from, to] = [0, places.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((places[middle]?.key ?? '') < key) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The items by a key; undefined for one that several have. */
function singly<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): ReadonlyMap<string, Item | undefined> {
  const found = new Map<string, Item | undefined>();
  for (const item of items) {
    const key = keyOf(item);
    found.set(key, found.has(key) ? undefined : item);
  }
  return found;
}
