import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { findBrowser } from '../../support/browser.ts';
import { openTab, type BrowserTab } from '../../support/browser-tab.ts';
import { jpeg } from '../../support/images.ts';
import { feed, organisation } from '../../support/records.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Page {
  path: string;
  /** Holds when the page has been drawn. */
  drawn: string;
  /** Rules that are broken within the library's own part of the page, which we can't change. */
  theirs?: { within: string; rules: string[] };
}

const pages: Record<string, Page> = {
  '/': { path: '/', drawn: 'true' },
  '/datasets': { path: '/datasets', drawn: `document.querySelector('#view > *') !== null` },
  'a dataset': {
    path: '/datasets?dataset=',
    drawn: `document.querySelector('#view > p, #filter') !== null`,
  },
  'an image': {
    path: '/datasets?image=',
    drawn: `document.querySelector('#view > p, #annotations') !== null`,
  },
  '/explain': {
    path: `/explain?url=${encodeURIComponent('/task/v1/feeds/list?limit=2&pin=7')}`,
    drawn: `document.getElementById('run-button') !== null`,
  },
  GraphiQL: {
    path: '/graphql',
    drawn: `document.querySelector('.graphiql-query-editor .view-line') !== null`,
    // Its tabs contain buttons (roles that allow none); the editor's numbers of empty lines are faint.
    theirs: { within: '#root', rules: ['nested-interactive', 'color-contrast'] },
  },
  '/docs': {
    path: '/docs',
    drawn: `document.querySelectorAll('.opblock').length > 20`,
    // Swagger UI's links inside buttons, its colours, and its lists of servers and values without a name.
    theirs: { within: '#docs', rules: ['nested-interactive', 'color-contrast', 'select-name'] },
  },
};

/** Completes the path of a page. */
function place(name: string, id: string): void {
  const page = pages[name];
  if (page) page.path += id;
}

/** A dataset with an annotated image. */
async function makeAnnotations(
  app: TestApp,
): Promise<{ dataset: string; image: string; project: string }> {
  const token = await app.signedIn('ana');
  const post = async (path: string, body: object | FormData): Promise<string> => {
    const isForm = body instanceof FormData;
    const headers = isForm ? {} : { 'content-type': 'application/json' };
    const sent = { method: 'POST', headers, body: isForm ? body : JSON.stringify(body) };
    return (await app.rest(path, token, sent)).json.data;
  };
  const gql = async (query: string, variables: object): Promise<any> =>
    (await app.gql(query, variables, token)).data;
  const workspaceId = await post('/api/Workspaces/create', { name: 'Shop' });
  const dataset = await post('/api/Datasets/create', {
    workspaceId,
    name: 'Shelves',
    description: 'Of today',
  });
  const form = new FormData();
  form.set('DatasetId', dataset);
  form.set('FileName', 'shelf.jpg');
  form.set('Image', new Blob([Uint8Array.from(await jpeg())]));
  const image = await post('/api/Images/addImage', form);
  const ids = await gql(
    'query ($workspace: UUID!, $image: UUID!) { workspace(uuid: $workspace) { id } image(uuid: $image) { id } }',
    { workspace: workspaceId, image },
  );
  const { createProject } = await gql(
    'mutation ($input: CreateProjectInput!) { createProject(input: $input) { ... on CreateProjectPayload { project { id uuid } } } }',
    { input: { workspaceId: ids.workspace.id, name: 'Gaps', description: '' } },
  );
  const { id: projectId, uuid: project } = createProject.project;
  await post('/api/Projects/AssignDataset', { projectId: project, datasetId: dataset });
  const annotations = [{ className: 'gap', shape: 'BBOX', geometry: [10, 20, 30, 40] }];
  const written = await gql(
    'mutation ($classes: AddAnnotationClassesInput!, $work: AnnotateImageInput!) { addAnnotationClasses(input: $classes) { __typename } annotateImage(input: $work) { __typename } }',
    {
      classes: { projectId, classes: [{ name: 'gap' }] },
      work: { projectId, imageId: ids.image.id, annotations },
    },
  );
  expect(written.annotateImage.__typename).toBe('AnnotateImagePayload');
  return { dataset, image, project };
}

/** In the page: what axe finds to be serious or critical. */
const serious = `axe.run().then(({ violations }) => violations
  .filter(({ impact }) => impact === 'serious' || impact === 'critical')
  .flatMap(({ id, nodes }) => nodes.map(({ target }) => ({ id, at: target.join(' ') }))))`;

const browser = findBrowser();

describe.skipIf(browser === undefined && process.env['REQUIRE_BROWSER'] === undefined)(
  'axe finds no barrier',
  () => {
    let app: TestApp;
    let tab: BrowserTab;
    beforeAll(async () => {
      app = await startApp();
      await app.load([...organisation, feed(1)]);
      const made = await makeAnnotations(app);
      place('a dataset', made.dataset);
      place('an image', `${made.image}&project=${made.project}`);
      tab = await openTab(browser ?? 'chromium');
    }, 120_000);
    afterAll(async () => {
      await tab.close();
      await app.close();
    });

    it.each(
      Object.keys(pages).flatMap((name) =>
        (
          [
            [390, 'light'],
            [1280, 'dark'],
          ] as const
        ).map(([width, scheme]) => ({ name, width, scheme })),
      ),
    )(
      'on $name at $width px, $scheme, signed out and in',
      async ({ name, width, scheme }) => {
        const { path, drawn, theirs } = pages[name] ?? { path: '/', drawn: 'true' };
        await tab.show({ width, height: 800, scheme });
        await tab.open(`${app.url}/`);
        await tab.read('sessionStorage.clear(), localStorage.clear()');
        const session = JSON.stringify({
          login: 'ana',
          token: await app.signedIn('ana'),
          expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
        });
        for (const signedIn of [false, true]) {
          if (signedIn)
            await tab.read(
              `sessionStorage.setItem('trivium.session:', ${JSON.stringify(session)})`,
            );
          await tab.open(`${app.url}/readyz`);
          await tab.open(app.url + path);
          await tab.until(drawn);
          await tab.read(
            `document.querySelectorAll('#session, .export, .import').forEach((one) => { one.open = true; })`,
          );
          expect(await tab.read(`document.getElementById('session-who').textContent`)).toBe(
            signedIn ? 'Signed in as ana' : 'Not signed in',
          );
          await tab.read(`${axe};1`);
          const found = await tab.read<{ id: string; at: string }[]>(serious);
          const ours: typeof found = [];
          for (const one of found) {
            const isTheirs =
              theirs?.rules.includes(one.id) &&
              (await tab.read<boolean>(
                `document.querySelector(${JSON.stringify(one.at)})?.closest(${JSON.stringify(theirs.within)}) != null`,
              ));
            if (!isTheirs) ours.push(one);
          }
          expect(ours).toEqual([]);
        }
      },
      240_000,
    );
  },
);
