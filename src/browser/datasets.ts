import { isEnded } from './page/ask.ts';
import { element } from './page/element.ts';
import { forgetKeys } from './pictures.ts';
import { readPlace, type Place } from './page/place.ts';
import { session, showPanel } from './page/session.ts';
import { showDataset } from './show-dataset.ts';
import { showImage } from './show-image.ts';
import { showWorkspace, showWorkspaces } from './show-workspaces.ts';
import { hrefOf, type Page, type Show } from './page/view.ts';

const view = document.getElementById('view');
const said = document.getElementById('said');
const failed = document.getElementById('failed');
const heading = document.getElementById('title');

let showing = new AbortController();
let isUnsaved: () => boolean = () => false;
let login = session.login();
/** Has the gateway ended the session while something was not saved? Then it stays, for when the reader is back. */
let isKept = false;
let shown = location.search;

function viewOf({ image, dataset, workspace }: Place): Show {
  if (image !== undefined) return showImage;
  if (dataset !== undefined) return showDataset;
  return workspace === undefined ? showWorkspaces : showWorkspace;
}

/** Tells the reader; each text goes away with the next one. */
function tell(text: string, fault: string): void {
  if (said) said.textContent = text;
  if (failed) failed.textContent = fault;
}

/** Tells what went wrong. A session that the gateway does not know any more is none. */
function fail(error: unknown): void {
  // Something else is shown by now, and what was there need not be loaded any more.
  if (error instanceof DOMException && error.name === 'AbortError') return;
  const text = error instanceof Error ? error.message : String(error);
  if (isEnded(error)) {
    isKept = isUnsaved();
    session.ended();
    showPanel(true);
    const next = isKept
      ? ' What you have drawn is still here: sign in again above, then save it.'
      : ' Sign in again above.';
    return tell('', text + next);
  }
  tell('', text);
}

async function show(moved: boolean): Promise<void> {
  showing.abort();
  showing = new AbortController();
  const { signal } = showing;
  isUnsaved = () => false;
  shown = location.search;
  if (!view || !heading) return;
  if (session.login() === null) {
    heading.textContent = 'Datasets';
    document.title = 'Datasets – Trivium';
    view.replaceChildren(element('p', {}, 'Sign in above to see your datasets.'));
    return;
  }
  tell('', '');
  view.ariaBusy = 'true';
  const place = readPlace(location.search);
  const page: Page = {
    place,
    signal,
    go,
    again: () => void show(false),
    say: (text) => tell(text, ''),
    fail,
    guard: (unsaved) => {
      if (!signal.aborted) isUnsaved = unsaved;
    },
  };
  try {
    const { title, body } = await viewOf(place)(page);
    if (signal.aborted) return;
    heading.textContent = title;
    document.title = `${title} – Trivium`;
    view.replaceChildren(element('div', {}, body));
    if (moved) {
      heading.focus();
      scrollTo(0, 0);
    }
  } catch (error) {
    if (signal.aborted) return;
    heading.textContent = 'Datasets';
    view.replaceChildren(
      element(
        'button',
        { type: 'button', class: 'quiet', onclick: () => void show(true) },
        'Try again',
      ),
    );
    fail(error);
  } finally {
    if (!signal.aborted) view.ariaBusy = 'false';
  }
}

function mayLeave(): boolean {
  return !isUnsaved() || confirm('The box is not saved. Leave it?');
}

function go(place: Place): void {
  if (!mayLeave()) return;
  history.pushState(null, '', hrefOf(place));
  void show(true);
}

document.addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const anchor = event.target instanceof Element ? event.target.closest('a[data-place]') : null;
  if (!(anchor instanceof HTMLAnchorElement)) return;
  event.preventDefault();
  go(readPlace(anchor.search));
});

window.addEventListener('popstate', () => {
  if (location.search === shown) return;
  if (mayLeave()) void show(true);
  else history.pushState(null, '', hrefOf(readPlace(shown)));
});

window.addEventListener('beforeunload', (event) => {
  if (isUnsaved()) event.preventDefault();
});

session.onchange = () => {
  const now = session.login();
  if (now === null && isKept) return;
  if (now !== null) showPanel(false);
  const isBack = isKept && now === login;
  isKept = false;
  if (isBack) return tell('Signed in again: you can save now.', '');
  forgetKeys();
  login = now;
  void show(false);
};

if (session.login() === null) showPanel(true);
void show(false);
