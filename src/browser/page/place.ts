/** What of the page's address says what is shown. */
export interface Place {
  workspace?: string;
  dataset?: string;
  image?: string;
  project?: string;
  class?: string;
  state?: string;
  after?: string;
  before?: string;
}

const NAMES = [
  'workspace',
  'dataset',
  'image',
  'project',
  'class',
  'state',
  'after',
  'before',
] as const satisfies readonly (keyof Place)[];

/** What an address shows. */
export function readPlace(search: string): Place {
  const parameters = new URLSearchParams(search);
  const place: Place = {};
  for (const name of NAMES) {
    const value = parameters.get(name);
    if (value) place[name] = value;
  }
  return place;
}

/** The first page of the list in which a place is. */
export function firstPage(place: Place): Place {
  const first = { ...place };
  delete first.after;
  delete first.before;
  return first;
}

/** The query part of a place's address; empty for the list of all workspaces. */
export function writePlace(place: Place): string {
  const parameters = new URLSearchParams();
  for (const name of NAMES) {
    const value = place[name];
    if (value !== undefined && value !== '') parameters.set(name, value);
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
