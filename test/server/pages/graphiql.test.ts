import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getOperationAST, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/server/graphql/schema/schema.ts';
import { readyTabs } from '../../../src/server/pages/ready-tabs.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { findBrowser } from '../../support/browser.ts';
import { organisation } from '../../support/records.ts';
import { openTab, type BrowserTab } from '../../support/browser-tab.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ now: Date.now(), env: { DEMO: 'true' } });
}, 240_000);
afterAll(() => app.close());

describe('GET /graphql in a browser', () => {
  it('is a page whose files come from the gateway, compressed, once', async () => {
    const page = await app.rest('/graphql', undefined, { headers: { accept: 'text/html' } });
    expect([page.status, page.text.length < 20_000]).toEqual([200, true]);
    expect(page.text).toContain('name="viewport"');
    const policy = page.headers.get('content-security-policy')!;
    expect(policy).toMatch(/script-src 'self' 'sha256-[^ ]+';/);
    const files = [...page.text.matchAll(/ (?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path!);
    expect(files.map((path) => path.replace(/.*\//, ''))).toEqual(['graphiql.css', 'graphiql.js']);
    const folder = files[0]!.replace(/[^/]+$/, '');
    for (const path of [
      ...files,
      ...['editor', 'json', 'graphql'].map((name) => `${folder}${name}-worker.js`),
    ]) {
      const { status, headers, text } = await app.rest(path);
      expect([status, headers.get('content-encoding'), headers.get('vary')]).toEqual([
        200,
        'gzip',
        'Accept-Encoding',
      ]);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(Number(headers.get('content-length'))).toBeLessThan(text.length * 0.6);
      const plain = await app.rest(path, undefined, { headers: { 'accept-encoding': 'gzip;q=0' } });
      expect([plain.headers.get('content-encoding'), plain.text === text]).toEqual([null, true]);
    }
    for (const path of ['/assets/graphiql/0/graphiql.js', `${folder}none.js`])
      expect((await app.rest(path)).status).toBe(404);
  });

  it.each([
    ['production', undefined, false],
    ['production', 'true', true],
    ['test', 'false', false],
  ])('in %s, with GRAPHIQL %s: %s; so do the links to it', async (NODE_ENV, GRAPHIQL, served) => {
    const other = await startApp({ env: { NODE_ENV, ...(GRAPHIQL && { GRAPHIQL }) } });
    const page = await other.rest('/graphql', undefined, { headers: { accept: 'text/html' } });
    expect(page.text.includes('<html')).toBe(served);
    const explained = await other.rest('/explain?url=/task/v1/feeds/list');
    expect(explained.text.includes('Open in GraphiQL')).toBe(served);
    const { data } = await other.gql(
      '{ translateLegacyRequest(url: "/task/v1/feeds/list") { graphiqlUrl } }',
    );
    expect(data.translateLegacyRequest.graphiqlUrl !== null).toBe(served);
    await other.close();
  });

  it.each(readyTabs(Date.now()).map((tab) => [getOperationAST(parse(tab.query))!, tab] as const))(
    'has a tab whose operation fits the schema and runs with the demo data: %#',
    async (operation, tab) => {
      expect(validate(schema, parse(tab.query))).toEqual([]);
      if (tab.query.includes('subscription ')) return;
      const login = operation.name?.value === 'Leadership' ? 'leader' : 'supervisor';
      const variables = tab.variables === undefined ? {} : JSON.parse(tab.variables);
      const { data, errors } = await app.gql(tab.query, variables, await app.signedIn(login));
      expect(errors).toBeUndefined();
      expect(JSON.stringify(data)).not.toContain('"code"');
    },
  );
});

const browser = findBrowser();

describe.skipIf(browser === undefined && process.env.REQUIRE_BROWSER === undefined)(
  'GraphiQL in Chromium',
  () => {
    let tab: BrowserTab;
    beforeAll(async () => {
      tab = await openTab(browser ?? 'chromium');
    });
    afterAll(() => tab.close());

    const who = `document.getElementById('session-who').textContent`;
    const answer = `(document.querySelector('.graphiql-response')?.innerText.replaceAll(/\\s+/g, ' ') ?? '')`;
    const ready = `document.querySelector('.graphiql-execute-button') !== null && document.querySelector('.graphiql-query-editor .view-line') !== null`;
    /** Runs what is in the editor, once it does, until the answer is as it should be. */
    const run = (enough: string): Promise<void> =>
      tab.until(`(() => {
        if (${enough}) return true;
        const button = document.querySelector('.graphiql-execute-button');
        if (button.ariaLabel.startsWith('Execute') && !(Date.now() - self.pressed < 2000)) { self.pressed = Date.now(); button.click(); }
        return false;
      })()`);
    const choose = async (name: string): Promise<void> => {
      await tab.read(
        `[...document.querySelectorAll('.graphiql-tab-button')].find((one) => one.innerText === '${name}').click()`,
      );
      await tab.until(
        `document.querySelector('.graphiql-tab-active').innerText.trim() === '${name}' && document.querySelector('.graphiql-query-editor').innerText.includes('${name}')`,
      );
    };

    it.each([
      [390, 'light'],
      [1280, 'dark'],
    ] as const)(
      'at %i px, %s: the session applies to every tab, and to what /explain opens; events come live',
      async (width, scheme) => {
        await tab.show({ width, height: 780, scheme });
        await tab.open(`${app.url}/`);
        await tab.read('sessionStorage.clear(), localStorage.clear()');
        await tab.open(`${app.url}/graphql`);
        await tab.until(ready);
        await tab.tabTo('#session summary');
        await tab.press('Enter');
        await tab.tabTo('[data-demo=supervisor]');
        await tab.press('Enter');
        await tab.until(`${who} === 'Signed in as supervisor'`);
        expect(await tab.read('document.documentElement.scrollWidth')).toBe(width);

        await choose('Configuration');
        await run(`${answer}.includes('feedRefreshRate')`);

        await choose('LiveCounts');
        const total = `(/"total": (\\d+)/.exec(${answer})?.[1] ?? '')`;
        await run(`${total} !== ''`);
        const before = await tab.read<string>(total);
        const made = await app.gql(
          'mutation ($time: DateTime) { createExternalTask(input: { name: "Sweep", assignedTo: "supervisor", expiryTime: $time }) { __typename } }',
          { time: new Date(Date.now() + 3600_000).toISOString() },
          await app.signedIn('supervisor'),
        );
        expect(made.data.createExternalTask.__typename).toBe('CreateExternalTaskPayload');
        await tab.until(`${total} !== '${before}'`);

        await tab.open(
          `${app.url}/explain?url=${encodeURIComponent('/task/v1/feeds/list?limit=1')}`,
        );
        await tab.read(`document.querySelector('a.button').click()`);
        await tab.until(`location.pathname === '/graphql' && ${ready}`);
        expect(await tab.read(who)).toBe('Signed in as supervisor');
        await tab.until(
          `document.querySelector('.graphiql-tab-active').innerText.trim() === 'RetrieveFeeds'`,
        );
        await run(`${answer}.includes('"nodes"')`);

        await tab.read(`document.getElementById('sign-out').click()`);
        await tab.until(`${who} === 'Not signed in'`);
        await run(`${answer}.includes('UNAUTHENTICATED')`);
      },
      240_000,
    );

    it('F266 saves the document of a tab as a file that can be trusted', async () => {
      await tab.show({ width: 1280, height: 780, scheme: 'light' });
      await tab.open(`${app.url}/`);
      await tab.read('localStorage.clear()');
      await tab.open(`${app.url}/graphql`);
      await tab.until(ready);
      const files = async (): Promise<string[]> => {
        const names = await readdir(tab.downloads).catch(() => []);
        return Promise.all(names.sort().map((name) => readFile(join(tab.downloads, name), 'utf8')));
      };
      const query = (name: string): string =>
        readyTabs(Date.now()).find((one) => one.query.includes(`query ${name}`))?.query ?? '';

      await tab.read(`document.getElementById('save').click()`);
      await expect.poll(files).toEqual([query('MyWork')]);

      await choose('Configuration');
      await tab.tabTo('.graphiql-query-editor .graphiql-editor');
      await tab.press('Enter');
      await tab.until(`document.activeElement.matches('.monaco-editor *')`);
      await tab.type('# for the wall display\n');
      await tab.press('s', 'Control');

      const saved = `# for the wall display\n${query('Configuration')}`;
      await expect.poll(files).toEqual([saved, query('MyWork')]);

      const trusting = await startApp({ env: { TRUSTED_DOCUMENTS: tab.downloads } });
      await trusting.load(organisation);
      const documentId = `sha256:${createHash('sha256').update(saved).digest('hex')}`;
      const { json } = await trusting.rest('/graphql', await trusting.signedIn('ana'), {
        method: 'POST',
        body: JSON.stringify({ documentId }),
        headers: { 'content-type': 'application/json' },
      });
      expect(Object.keys(json['data'].viewer)).toEqual(['configuration']);
      await trusting.close();
    }, 240_000);

    it.each([
      [390, 'dark'],
      [1280, 'light'],
    ] as const)(
      'at %i px, %s: a keyboard is enough, and shows where it is',
      async (width, scheme) => {
        await tab.show({ width, height: 780, scheme });
        await tab.open(`${app.url}/`);
        await tab.read('sessionStorage.clear(), localStorage.clear()');
        await tab.open(`${app.url}/graphql`);
        await tab.until(ready);
        /** Goes on with Tab to what the selector finds, which has to have a clear outline, and presses Enter. */
        const enter = async (selector: string): Promise<void> => {
          await tab.tabTo(selector);
          const outline = `(({ outlineStyle, outlineWidth, outlineColor }) => [outlineStyle, outlineWidth, outlineColor.startsWith('rgb(')])(getComputedStyle(document.activeElement))`;
          expect([selector, ...(await tab.read<unknown[]>(outline))]).toEqual([
            selector,
            'solid',
            '3px',
            true,
          ]);
          await tab.press('Enter');
        };
        await enter('#session summary');
        await enter('[data-demo=supervisor]');
        await tab.until(`${who} === 'Signed in as supervisor'`);

        await enter('#graphiql-session-tab-5');
        await tab.until(
          `document.querySelector('.graphiql-query-editor').innerText.includes('Configuration')`,
        );
        await enter('.graphiql-query-editor .graphiql-editor');
        await tab.until(`document.activeElement.matches('.monaco-editor *')`);
        await tab.press('Tab');
        expect(await tab.read(`document.activeElement.matches('.monaco-editor *')`)).toBe(true);
        await tab.press('Escape');
        await enter('.graphiql-execute-button');
        // The first press may come before GraphiQL listens: see `run`.
        const again = `document.activeElement.ariaLabel.startsWith('Execute') && !(Date.now() - (self.pressed ??= Date.now()) < 2000) && (self.pressed = Date.now()) > 0`;
        await expect
          .poll(
            async () => {
              if (await tab.read(again)) await tab.press('Enter');
              return tab.read(answer);
            },
            { timeout: 60_000 },
          )
          .toContain('feedRefreshRate');

        const explorer = '.graphiql-sidebar button:first-of-type';
        const shown = (selector: string): string =>
          `document.querySelector('${selector}')?.checkVisibility({ visibilityProperty: true }) === true`;
        await enter(explorer);
        await tab.until(shown('.graphiql-doc-explorer'));
        expect(await tab.read(shown('.graphiql-sessions'))).toBe(width > 700);
        await tab.press('Enter');
        await tab.until(`!(${shown('.graphiql-doc-explorer')}) && ${shown('.graphiql-sessions')}`);
        for (const part of ['.graphiql-sidebar button:last-of-type', '.graphiql-response'])
          expect(
            await tab.read(`document.querySelector('${part}').getBoundingClientRect().bottom`),
          ).toBeLessThanOrEqual(780);

        await enter('#session summary');
        await enter('#sign-out');
        await tab.until(`${who} === 'Not signed in'`);
      },
      120_000,
    );
  },
);
