import type { Place } from './page/place.ts';

let list: readonly string[] = [];
let origin: Place = {};

/** Keeps the images that were listed last, so that the view of one can lead to the next. */
export function rememberNeighbours(place: Place, images: readonly string[]): void {
  origin = place;
  list = images;
}

/** The images beside one on the page of the list that was shown last. */
export function neighboursOf(image: string): { previous?: string; next?: string } {
  const at = list.indexOf(image);
  if (at === -1) return {};
  const [previous, next] = [list[at - 1], list[at + 1]];
  return { ...(previous !== undefined && { previous }), ...(next !== undefined && { next }) };
}

/** The page of the list from which the reader came to an image of this dataset. */
export function listOf(dataset: string, image: string): Place {
  return origin.dataset === dataset && list.includes(image) ? origin : { dataset };
}
