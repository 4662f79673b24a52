import type { PageInfo } from './documents.ts';
import { element, type Child } from './element.ts';
import { firstPage, writePlace, type Place } from './place.ts';
import { basePath } from './session.ts';

/** What a view gets from the page. */
export interface Page {
  place: Place;
  /** Aborted as soon as something else is shown. */
  signal: AbortSignal;
  /** Shows another place. */
  go: (place: Place) => void;
  /** Shows the same place anew. */
  again: () => void;
  /** Tells the reader. */
  say: (text: string) => void;
  /** Tells the reader that something went wrong. */
  fail: (error: unknown) => void;
  /** Called before the place changes: true if something would be lost. */
  guard: (unsaved: () => boolean) => void;
}

/** A view: its title, and what it shows. */
export interface View {
  title: string;
  body: readonly Child[];
}

/** Shows a place; throws Refusal. */
export type Show = (page: Page) => Promise<View>;

/** A link within the page. */
export function link(place: Place, ...children: readonly Child[]): HTMLAnchorElement {
  return element('a', { href: hrefOf(place), 'data-place': true }, ...children);
}

/** The address of a place. */
export function hrefOf(place: Place): string {
  return `${basePath}/datasets${writePlace(place)}`;
}

/** Links to the pages before and after. */
export function pager(
  place: Place,
  { hasNextPage, hasPreviousPage, startCursor, endCursor }: PageInfo,
): Child {
  if (!hasNextPage && !hasPreviousPage) return null;
  const same = firstPage(place);
  return element(
    'nav',
    { class: 'pager', 'aria-label': 'Pages' },
    hasPreviousPage &&
      startCursor !== null &&
      link({ ...same, before: startCursor }, 'Previous page'),
    hasNextPage && endCursor !== null && link({ ...same, after: endCursor }, 'Next page'),
  );
}

/** The arguments of a list for a page of this many rows. */
export function paging({ after, before }: Place, rows: number): object {
  return before === undefined ? { first: rows, after: after ?? null } : { last: rows, before };
}

/** The trail from the list of workspaces to here. */
export function trail(...links: readonly Child[]): HTMLElement {
  return element(
    'nav',
    { class: 'trail', 'aria-label': 'Where you are' },
    links.map((one, at) => [at > 0 && ' / ', one]),
  );
}

/** Shown for what does not exist, or is somebody else's. */
export function notFound(what: string): View {
  return {
    title: `${what} not found`,
    body: [
      trail(link({}, 'Workspaces')),
      element(
        'p',
        {},
        `There is no such ${what.toLowerCase()}, or you are no member of its workspace.`,
      ),
    ],
  };
}
