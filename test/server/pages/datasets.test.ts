import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as e2ee from '../../../src/sdk/e2ee.ts';
import { startApp } from '../../support/app.ts';
import { findBrowser } from '../../support/browser.ts';
import { openTab, type BrowserTab } from '../../support/browser-tab.ts';
import { startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';
import { pageFaults } from '../../support/page-faults.ts';

describe('GET /datasets', () => {
  it('is a small page in production too, under the base path, whose files come compressed, once', async () => {
    const app = await startApp({ env: { NODE_ENV: 'production', BASE_PATH: '/gateway' } });
    const page = await app.rest('/datasets');
    expect([page.status, page.text.length < 20_000]).toEqual([200, true]);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toMatch(/script-src 'self' 'sha256-[^ ]+'; style-src 'self';/);
    const files = [...page.text.matchAll(/ (?:src|href)="(\/gateway\/assets\/[^"]+)"/g)].map(
      ([, path = '']) => path.replace('/gateway', ''),
    );
    expect(files.map((path) => path.replace(/.*\//, ''))).toEqual(['datasets.css', 'datasets.js']);
    for (const path of files) {
      const { status, headers } = await app.rest(path);
      expect([status, headers.get('content-encoding'), headers.get('cache-control')]).toEqual([
        200,
        'gzip',
        'public, max-age=31536000, immutable',
      ]);
      expect(Number(headers.get('content-length'))).toBeLessThan(24_000);
    }
    const wrong = await app.rest('/datasets', undefined, { method: 'POST' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    await app.close();
  });
});

const browser = findBrowser();
const KEY = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
const HOSTILE = '<img src=x onerror="hacked=1">';
const PASSWORD = 'as long as it has to be';

describe.skipIf(browser === undefined && process.env.REQUIRE_BROWSER === undefined)(
  '/datasets in Chromium',
  () => {
    let app: DatasetApp;
    let tab: BrowserTab;
    let dataset: string;
    let project: { uuid: string; id: string };
    const images: { uuid: string; id: string }[] = [];

    const gql = async (query: string, variables: object): Promise<any> => {
      const { data, errors } = await app.gql(query, variables, app.tokens.owner);
      expect(errors).toBeUndefined();
      return data;
    };
    const annotate = (image: { id: string }, annotations: object[]): Promise<any> =>
      gql(
        'mutation ($input: AnnotateImageInput!) { annotateImage(input: $input) { __typename ... on UserError { message } } }',
        { input: { projectId: project.id, imageId: image.id, annotations } },
      );
    const annotationsOf = async (
      image: { uuid: string } | undefined,
    ): Promise<{ className: string; shape: string; geometry: number[] }[]> =>
      (
        await gql(
          'query ($uuid: UUID!, $id: ID!) { image(uuid: $uuid) { annotations(projectId: $id) { nodes { className shape geometry } } } }',
          { uuid: image?.uuid, id: project.id },
        )
      ).image.annotations.nodes;

    beforeAll(async () => {
      const begun = Date.now();
      app = await startDatasetApp('filesystem', { now: begun });
      await app.load([{ record: 'user', login: 'owner', domain: 'one', password: PASSWORD }]);
      // A new password ends the sessions before it.
      app.tokens.owner = await app.signedIn('owner');
      const workspace = await app.workspace(HOSTILE);
      dataset = await app.dataset(workspace, `Set ${HOSTILE}`);
      const uuid = await app.project(workspace, dataset, `Project ${HOSTILE}`);
      project = {
        uuid,
        ...(await gql('query ($uuid: UUID!) { project(uuid: $uuid) { id } }', { uuid })).project,
      };
      await gql(
        'mutation ($input: AddAnnotationClassesInput!) { addAnnotationClasses(input: $input) { __typename } }',
        {
          input: {
            projectId: project.id,
            classes: [{ name: 'bolt', color: '#ff8800' }, { name: HOSTILE }],
          },
        },
      );
      const bytes = await jpeg(400, 300);
      for (let at = 0; at < 26; at++) {
        // Each after the one before, as they are listed.
        app.setTime(begun + at);
        const image = await app.image(
          dataset,
          bytes,
          at === 3 ? `${HOSTILE}.jpg` : `image-${at}.jpg`,
        );
        const { id } = (
          await gql('query ($uuid: UUID!) { image(uuid: $uuid) { id } }', { uuid: image })
        ).image;
        images.push({ uuid: image, id });
      }
      const [first, second] = images;
      if (!first || !second) throw new Error('no images');
      await annotate(first, [
        { className: 'bolt', shape: 'BBOX', geometry: [40, 30, 80, 60] },
        { className: HOSTILE, shape: 'POLYGON', geometry: [[200, 100, 300, 100, 250, 200]] },
        { className: 'bolt', shape: 'POLYLINE', geometry: [[0, 0, 400, 300]] },
        { className: 'bolt', shape: 'POINTS', geometry: [10, 20, 2, 30, 40, 1, 0, 0, 0] },
        {
          className: 'bolt',
          shape: 'MASK',
          geometry: { size: [300, 400], counts: [3010, 20, 280, 20, 116_670] },
        },
        { className: 'bolt', shape: 'CLASSIFICATION' },
      ]);
      await annotate(second, [{ className: HOSTILE, shape: 'BBOX', geometry: [0, 0, 400, 300] }]);
      tab = await openTab(browser ?? 'chromium');
    }, 240_000);
    afterAll(async () => {
      await tab.close();
      await app.close();
    });

    const title = `document.getElementById('title').textContent`;
    const said = `document.getElementById('said').textContent`;
    const failed = `document.getElementById('failed').textContent`;
    const drawn = `document.querySelectorAll('.grid img').length > 0 && [...document.querySelectorAll('.grid img')].every((one) => one.naturalWidth === 270)`;
    const staged = `document.querySelector('#stage img')?.naturalWidth === 400`;
    const numbers = `['x', 'y', 'width', 'height'].map((name) => Number(document.getElementById('box-' + name).value))`;

    /** Opens a place of the page in a tab that is signed in as the owner, unless by another token. */
    const open = async (query = '', token = app.tokens.owner): Promise<void> => {
      await tab.open(`${app.url}/readyz`);
      const session = { login: 'owner', token, expiresAt: new Date(Date.now() + 3_600_000) };
      await tab.read(
        `sessionStorage.clear(), sessionStorage.setItem('trivium.session:', ${JSON.stringify(JSON.stringify(session))})`,
      );
      await tab.open(`${app.url}/datasets${query}`);
    };
    const openImage = async (at: number, token?: string): Promise<void> => {
      await open(`?dataset=${dataset}&project=${project.uuid}&image=${images[at]?.uuid}`, token);
      await tab.until(staged);
    };
    /** Of whatever the policy has blocked since the page was opened, and of scripts in names. */
    const breaches = `new Promise((resolve) => { new ReportingObserver((reports) => resolve(reports.map(({ body }) => body.blockedURL)), { types: ['csp-violation'], buffered: true }).observe(); setTimeout(() => resolve([]), 200); }).then((reports) => [...reports, ...(typeof hacked === 'undefined' ? [] : ['hacked'])])`;

    it.each(
      [360, 1280].flatMap((width) =>
        (['light', 'dark'] as const).map((scheme) => ({ width, height: 740, scheme })),
      ),
    )(
      'fits and is legible at $width px, $scheme, and takes no name for HTML',
      async (reader) => {
        await tab.show(reader);
        const look = async (): Promise<void> => {
          expect(await tab.read('document.documentElement.scrollWidth')).toBe(reader.width);
          expect(await tab.read(pageFaults)).toEqual([]);
          expect(await tab.read(breaches)).toEqual([]);
          expect(await tab.read('getComputedStyle(document.body).backgroundColor')).toBe(
            reader.scheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(17, 22, 28)',
          );
        };
        await tab.open(`${app.url}/readyz`);
        await tab.read('sessionStorage.clear()');
        await tab.open(`${app.url}/datasets`);
        expect(await tab.read(`document.getElementById('view').textContent`)).toBe(
          'Sign in above to see your datasets.',
        );
        await look();
        await open();
        await tab.until(`${title} === 'Workspaces' && document.querySelector('h2 a') !== null`);
        expect(await tab.read(`document.querySelector('h2 a').textContent`)).toBe(HOSTILE);
        await look();
        await tab.read(`document.querySelector('h2 a').click()`);
        await tab.until(`${title} === ${JSON.stringify(HOSTILE)}`);
        expect(await tab.read(`document.querySelector('.progress').textContent`)).toContain(
          '2 of 26 images done',
        );
        await look();
        await open(`?dataset=${dataset}`);
        await tab.until(drawn);
        await tab.read(
          `document.querySelectorAll('.export, .import').forEach((one) => { one.open = true; })`,
        );
        expect(await tab.read(title)).toBe(`Set ${HOSTILE}`);
        expect(await tab.read(`document.querySelectorAll('.grid li').length`)).toBe(24);
        await look();
        await openImage(0);
        await look();
        await open(`?dataset=${project.uuid}`);
        await tab.until(`${title} === 'Dataset not found'`);
      },
      120_000,
    );

    it('draws each shape over the thumbnail where it is on the image', async () => {
      await tab.show({ width: 1280, height: 740, scheme: 'light' });
      await open(`?dataset=${dataset}`);
      await tab.until(drawn);
      const places = await tab.read<Record<string, number[]>>(`(() => {
        const picture = document.querySelector('.picture img').getBoundingClientRect();
        const [scaleX, scaleY] = [270 / picture.width, 200 / picture.height];
        const places = {};
        for (const one of document.querySelector('.picture').querySelectorAll('.over')) {
          const { left, top, width, height } = one.getBoundingClientRect();
          places[one.getAttribute('class')] ??= [(left - picture.left) * scaleX, (top - picture.top) * scaleY, width * scaleX, height * scaleY].map(Math.round);
        }
        return places;
      })()`);
      // 400 × 300 becomes 267 × 200.
      const near = (at: number[]): unknown => at.map((value) => expect.closeTo(value, -0.5));
      expect(places).toEqual({
        'over bbox': near([28, 20, 53, 40]),
        'over polygon': near([135, 67, 67, 67]),
        'over polyline': near([2, 0, 267, 200]),
        'over points': near([8, 13, 0, 0]),
        'over mask': near([8, 7, 1, 13]),
      });
      expect(await tab.read(`document.querySelector('.over.bbox').getAttribute('stroke')`)).toBe(
        '#ff8800',
      );
    }, 60_000);

    it('filters by class and state, and pages, so that an address leads back to what it showed', async () => {
      await tab.show({ width: 1280, height: 740, scheme: 'light' });
      await open(`?dataset=${dataset}`);
      await tab.until(drawn);
      const count = `document.getElementById('count')?.textContent`;
      const choose = (name: string, value: string): Promise<unknown> =>
        tab.read(`document.getElementById('choose-${name}').value = ${JSON.stringify(value)}`);
      await choose('class', HOSTILE);
      await tab.read(`document.getElementById('filter').click()`);
      await tab.until(`${count} === '2 like that'`);
      await choose('class', 'bolt');
      await choose('state', 'ANNOTATED');
      await tab.read(`document.getElementById('filter').click()`);
      await tab.until(`${count} === '1 like that'`);
      await choose('state', 'REJECTED');
      await tab.read(`document.getElementById('filter').click()`);
      await tab.until(`${count} === 'No image is like that.'`);
      await tab.read('history.back()');
      await tab.until(`${count} === '1 like that'`);
      await open(`?dataset=${dataset}`);
      await tab.until(drawn);
      await tab.read(
        `[...document.querySelectorAll('.pager a')].find(({ textContent }) => textContent === 'Next page').click()`,
      );
      await tab.until(`document.querySelectorAll('.grid li').length === 2`);
      await tab.open(await tab.read<string>('location.href').then((href) => `${href}&`));
      await tab.until(`document.querySelectorAll('.grid li').length === 2`);
    }, 60_000);

    it.each([
      { width: 360, height: 740, scheme: 'dark' },
      { width: 1280, height: 740, scheme: 'light' },
    ] as const)(
      'at $width px a keyboard is enough: find the image, draw a box, save and remove it, accept',
      async (reader) => {
        await tab.show(reader);
        await open();
        await tab.until(`document.querySelector('.card .plain a') !== null`);
        const enter = async (selector: string): Promise<void> => {
          await tab.tabTo(selector);
          expect([
            selector,
            await tab.read('getComputedStyle(document.activeElement).outlineStyle'),
          ]).toEqual([selector, 'solid']);
          await tab.press('Enter');
        };
        await enter('.card .plain a');
        await tab.until(drawn);
        await enter('.grid li:nth-child(5) a');
        await tab.until(staged);
        await tab.tabTo('#stage svg');
        await tab.press('Enter');
        for (let presses = 0; presses < 3; presses++) await tab.press('ArrowLeft');
        await tab.press('ArrowUp', 'Alt');
        await tab.press('ArrowRight', 'Shift');
        expect(await tab.read(numbers)).toEqual([138, 112, 104, 75]);
        await tab.press('Enter');
        expect(await tab.read('document.activeElement.id')).toBe('box-class');
        await tab.tabTo('#box-height');
        await tab.read('document.activeElement.select()');
        await tab.type('90');
        await tab.press('Enter');
        await tab.until(`${said} === 'Saved a box of bolt.'`);
        expect(await annotationsOf(images[4])).toEqual([
          { className: 'bolt', shape: 'BBOX', geometry: [138, 112, 104, 90] },
        ]);
        expect(await tab.read(`document.activeElement.closest('#stage') !== null`)).toBe(true);

        await enter('#annotations button');
        expect(await tab.read('document.activeElement.textContent')).toBe('Really?');
        await tab.press('Enter');
        await tab.until(`${said} === 'Removed.'`);
        expect(await annotationsOf(images[4])).toEqual([]);
        await tab.read(`document.getElementById('title').focus()`);
        await enter('#review button:nth-of-type(1)');
        await tab.until(`${said} === 'The image is accepted now.'`);
      },
      120_000,
    );

    it('draws with the mouse, from any corner, only inside the image', async () => {
      await tab.show({ width: 1280, height: 1100, scheme: 'light' });
      await openImage(5);
      const { left, top, width, height } = await tab.read<
        Record<'left' | 'top' | 'width' | 'height', number>
      >(
        `(({ left, top, width, height }) => ({ left, top, width, height }))(document.querySelector('#stage svg').getBoundingClientRect())`,
      );
      const at = (x: number, y: number): [number, number] => [
        left + (x / 400) * width,
        top + (y / 300) * height,
      ];
      await tab.drag(at(200, 150), at(100, 60));
      const near = (box: number[]): unknown => box.map((value) => expect.closeTo(value, -0.5));
      expect(await tab.read(numbers)).toEqual(near([100, 60, 100, 90]));
      await tab.drag(at(380, 280), [left + width + 30, top + height - 1]);
      expect(await tab.read<number[]>(numbers).then(([x = 0, , w = 0]) => x + w)).toBe(400);
      await tab.read(`document.getElementById('save-box').click()`);
      await tab.until(`${said} === 'Saved a box of bolt.'`);
      expect(await annotationsOf(images[5])).toHaveLength(1);
    }, 60_000);

    it('loses nothing when somebody else was faster: it says so, shows theirs, and saves on the next press', async () => {
      await openImage(6);
      await tab.read(`document.querySelector('#stage svg').focus()`);
      await tab.press('Enter');
      const mine = await tab.read<number[]>(numbers);
      const image = images[6];
      if (!image) throw new Error('no image');
      await annotate(image, [{ className: HOSTILE, shape: 'BBOX', geometry: [1, 2, 3, 4] }]);
      await tab.read(`document.getElementById('save-box').click()`);
      await tab.until(`${failed}.startsWith('Somebody else has changed this image')`);
      expect(await tab.read(`document.querySelectorAll('#annotations li').length`)).toBe(1);
      expect(await tab.read(numbers)).toEqual(mine);
      expect(await annotationsOf(image)).toHaveLength(1);
      await tab.read(`document.getElementById('save-box').click()`);
      await tab.until(`${said} === 'Saved a box of bolt.'`);
      expect((await annotationsOf(image)).map(({ geometry }) => geometry.join()).sort()).toEqual([
        '1,2,3,4',
        mine.join(),
      ]);
    }, 60_000);

    it('does once what is pressed twice', async () => {
      await openImage(9);
      const press = (selector: string, presses = 2): Promise<unknown> =>
        tab.read(
          `{ const button = document.querySelector('${selector}'); for (let at = 0; at < ${presses}; at++) button.click(); }`,
        );
      await tab.read(`document.querySelector('#stage svg').focus()`);
      await tab.press('Enter');
      await press('#save-box');
      await tab.until(`${said} === 'Saved a box of bolt.'`);
      await press('#review button');
      await tab.until(`${said} === 'The image is accepted now.'`);
      expect(await annotationsOf(images[9])).toHaveLength(1);
      await press('#annotations button', 3);
      await tab.until(`${said} === 'Removed.'`);
      expect(await annotationsOf(images[9])).toEqual([]);
      expect(await tab.read(failed)).toBe('');
    }, 60_000);

    it('keeps what is drawn when the session ends, and saves it after signing in again', async () => {
      const token = await app.signedIn('owner');
      await openImage(7, token);
      await tab.read(`document.querySelector('#stage svg').focus()`);
      await tab.press('Enter');
      const mine = await tab.read<number[]>(numbers);
      await app.rest('/session', token, { method: 'DELETE' });
      await tab.read(`document.getElementById('save-box').click()`);
      await tab.until(`${failed}.startsWith('Your session has ended.')`);
      expect(await tab.read(`document.getElementById('session').open`)).toBe(true);
      await tab.tabTo('#login');
      await tab.type('owner');
      await tab.tabTo('#password');
      await tab.type(PASSWORD);
      await tab.press('Enter');
      await tab.until(`${said} === 'Signed in again: you can save now.'`);
      await tab.read(`document.getElementById('save-box').click()`);
      await tab.until(`${said} === 'Saved a box of bolt.'`);
      expect((await annotationsOf(images[7])).map(({ geometry }) => geometry)).toEqual([mine]);
      await tab.read(`document.getElementById('sign-out').click()`);
      await tab.until(
        `document.getElementById('view').textContent === 'Sign in above to see your datasets.'`,
      );
    }, 60_000);

    it('tells nothing on the next page of what need not be loaded any more on the one before', async () => {
      await openImage(8);
      await tab.read(`{
        const fetched = fetch;
        window.fetch = (url, init) => {
          window.isLeft ||= init?.signal?.aborted === true;
          return fetched(url, init);
        };
        [...document.querySelectorAll('#review button')].find(({ textContent }) => textContent === 'Accept').click();
        document.querySelector('.trail a').click();
      }`);
      await tab.until(`window.isLeft && ${title} === 'Workspaces'`);
      expect(await tab.read(failed)).toBe('');
      await openImage(8);
      expect(await tab.read(`document.querySelector('#review b').textContent`)).toBe('accepted');
    }, 60_000);

    it('exports, and shows how far it is until the archive can be downloaded', async () => {
      await open(`?dataset=${dataset}`);
      await tab.until(drawn);
      await tab.read(`document.querySelector('.export').open = true`);
      await tab.read(`document.querySelector('.export button').click()`);
      await tab.until(
        `document.querySelector('.job [role=status]')?.textContent.startsWith('Ready, ')`,
      );
      expect(await tab.read(`document.querySelector('.job progress').value`)).toBe(1);
      await tab.open(`${app.url}/datasets?dataset=${dataset}&`);
      await tab.until(`document.querySelector('.job button')?.textContent === 'Download'`);
    }, 60_000);

    it('imports annotations from a file: first it says what would happen, then it does that', async () => {
      const coco = {
        images: [{ id: 1, file_name: 'image-10.jpg', width: 400, height: 300 }],
        annotations: [{ id: 1, image_id: 1, category_id: 1, bbox: [1, 2, 30, 40] }],
        categories: [{ id: 1, name: 'bolt' }],
      };
      await open(`?dataset=${dataset}`);
      await tab.until(drawn);
      const state = `document.querySelector('.import .job [role=status]')?.textContent`;
      await tab.read(`{
        const panel = document.querySelector('.import');
        panel.open = true;
        const given = new DataTransfer();
        given.items.add(new File([${JSON.stringify(JSON.stringify(coco))}], 'coco.json'));
        panel.querySelector('[type=file]').files = given.files;
        panel.querySelector('button').click();
      }`);
      await tab.until(`${state}?.startsWith('Would import 1 annotation on 1 image')`);
      expect(await annotationsOf(images[10])).toEqual([]);
      await tab.until(`!document.querySelector('.import button').disabled`);
      await tab.read(
        `document.querySelector('.import [type=checkbox]').checked = false, document.querySelector('.import button').click()`,
      );
      await tab.until(`${state}?.startsWith('Imported 1 annotation on 1 image')`);
      expect(await annotationsOf(images[10])).toEqual([
        { className: 'bolt', shape: 'BBOX', geometry: [1, 2, 30, 40] },
      ]);
    }, 60_000);

    it('decrypts with a key that never leaves the page, and says when it is a wrong one', async () => {
      const key = await e2ee.importKey(KEY);
      const workspace = await app.workspace('Secret');
      const secrets = await app.dataset(workspace, 'Secrets');
      const gateway = { baseUrl: app.url, token: app.tokens.owner };
      await e2ee.enableEncryption(gateway, workspace, key);
      const opened = await e2ee.openWorkspace(gateway, workspace, key);
      const secret = { datasetId: secrets, fileName: 'secret.jpg', image: await jpeg(400, 300) };
      await opened.upload({
        ...secret,
        thumbnail: Uint8Array.from(await jpeg(270, 200)),
        width: 400,
        height: 300,
      });

      await open(`?dataset=${secrets}`);
      await tab.until(`document.getElementById('key') !== null`);
      await tab.read(`{
        self.sent = [];
        const fetchIt = fetch;
        self.fetch = (url, init) => { sent.push(JSON.stringify([String(url), init?.body ?? '', [...new Headers(init?.headers)]])); return fetchIt(url, init); };
      }`);
      const fault = `document.getElementById('key-fault').textContent`;
      const give = async (text: string): Promise<void> => {
        await tab.read(`document.getElementById('key').value = ''`);
        await tab.read(`document.getElementById('title').focus()`);
        await tab.tabTo('#key');
        await tab.type(text);
        await tab.press('Enter');
      };
      await give('short');
      await tab.until(`${fault}.startsWith('Not opened: a workspace key is 64')`);
      await give('ff'.repeat(32));
      await tab.until(`${fault} === 'This key does not belong to the workspace.'`);
      expect(
        await tab.read(`[...document.querySelectorAll('.grid img')].some((one) => one.src !== '')`),
      ).toBe(false);
      await give(KEY);
      await tab.until(drawn);
      await tab.read(`document.querySelector('.grid a').click()`);
      await tab.until(staged);
      const kept = `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state, self.sent])`;
      const everything = await tab.read<string>(kept);
      expect(everything).toContain('downloadThumb');
      for (const form of [KEY, 'ff'.repeat(32), Buffer.from(KEY, 'hex').toString('base64')])
        expect(everything.toLowerCase()).not.toContain(form.toLowerCase());

      // Somebody changes the key while the page is open.
      const newKey = await e2ee.makeKey();
      await e2ee.rotateWorkspaceKey(gateway, workspace, { oldKey: key, newKey });
      await tab.read(`document.querySelector('.trail a:last-child').click()`);
      await tab.until(`document.getElementById('key') !== null`);
      expect(await tab.read(`document.getElementById('failed').textContent`)).toContain(
        'key number 2',
      );
      await give(KEY);
      await tab.until(`${fault} === 'This key does not belong to the workspace.'`);
      await give(Buffer.from(await e2ee.exportKey(newKey)).toString('hex'));
      await tab.until(drawn);
      await tab.read(`document.getElementById('sign-out').click()`);
      await tab.until(`document.querySelector('.grid') === null`);
    }, 60_000);
  },
);
