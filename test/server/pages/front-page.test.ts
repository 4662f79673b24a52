import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { findBrowser } from '../../support/browser.ts';
import { openTab, type BrowserTab } from '../../support/browser-tab.ts';
import { pageFaults } from '../../support/page-faults.ts';

const linksOf = (text: string): string[] =>
  [...text.matchAll(/<a href="([^"]+)"/g)].flatMap(([, link]) => link ?? []);

describe('GET /', () => {
  it('is a page in production too, under the base path, whose links answer', async () => {
    const app = await startApp({ env: { NODE_ENV: 'production', BASE_PATH: '/gateway' } });
    const { status, text, headers } = await app.rest('/');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    for (const road of ['Task execution', 'Datasets', 'Task tracker']) expect(text).toContain(road);
    const links = linksOf(text);
    expect(links).toEqual(
      ['/datasets', '/docs', '/openapi.json', '/explain', '/readyz'].map(
        (path) => `/gateway${path}`,
      ),
    );
    for (const link of links)
      expect([link, (await fetch(new URL(link, app.url))).status]).toEqual([link, 200]);
    expect(text).not.toMatch(/data-demo="|GraphiQL/);
    const wrong = await app.rest('/', undefined, { method: 'POST' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    await app.close();
  });

  it.each([
    ['true', true],
    ['false', false],
  ])('links GraphiQL where GRAPHIQL is %s', async (GRAPHIQL, linked) => {
    const app = await startApp({ env: { GRAPHIQL } });
    expect(linksOf((await app.rest('/')).text).includes('/graphql')).toBe(linked);
    await app.close();
  });
});

const browser = findBrowser();

describe.skipIf(browser === undefined && process.env.REQUIRE_BROWSER === undefined)(
  '/ in Chromium',
  () => {
    let app: TestApp;
    let tab: BrowserTab;
    beforeAll(async () => {
      app = await startApp({ now: Date.now(), env: { DEMO: 'true' } });
      tab = await openTab(browser ?? 'chromium');
    }, 240_000);
    afterAll(async () => {
      await tab.close();
      await app.close();
    });

    const idOf = async (login: string): Promise<string> => {
      const { data } = await app.gql(
        'query ($search: String!) { viewer { users(first: 1, search: $search) { nodes { id } } } }',
        { search: login },
        await app.signedIn('leader'),
      );
      return data.viewer.users.nodes[0].id;
    };
    const who = `document.getElementById('session-who').textContent`;

    it.each(
      [390, 1280].flatMap((width) =>
        (['light', 'dark'] as const).map((scheme) => ({ width, height: 740, scheme })),
      ),
    )(
      'fits at $width px, $scheme, and a keyboard is enough to sign in with a demo login and out',
      async (reader) => {
        await tab.show(reader);
        await tab.open(`${app.url}/`);
        expect(await tab.read(pageFaults)).toEqual([]);
        await tab.tabTo('[data-demo=supervisor]');
        expect(await tab.read('getComputedStyle(document.activeElement).outlineStyle')).toBe(
          'solid',
        );
        await tab.press('Enter');
        await tab.until(`${who} === 'Signed in as supervisor'`);
        expect(await tab.read('document.documentElement.scrollWidth')).toBe(reader.width);
        expect(await tab.read(pageFaults)).toEqual([]);
        await tab.open(`${app.url}/?again`);
        expect(await tab.read(who)).toBe('Signed in as supervisor');
        const token = await tab.read<string>(`triviumSession.headers()['X-service-csrf-token-X']`);
        expect((await app.gql('{ viewer { login } }', {}, token)).data).toEqual({
          viewer: { login: 'supervisor' },
        });
        await tab.tabTo('#sign-out');
        await tab.press('Enter');
        await tab.until(`${who} === 'Not signed in'`);
        await tab.open(`${app.url}/?once-more`);
        expect(await tab.read(who)).toBe('Not signed in');
        await tab.tabTo('#login');
        await tab.type('associate');
        await tab.tabTo('#password');
        await tab.type('wrong');
        await tab.press('Enter');
        await tab.until(
          `document.getElementById('session-said').textContent.startsWith('Not signed in: ')`,
        );
        expect(await tab.read(pageFaults)).toEqual([]);
      },
      120_000,
    );

    it.each([
      { width: 390, height: 740, scheme: 'light' },
      { width: 1280, height: 740, scheme: 'dark' },
    ] as const)(
      'at $width px, $scheme: asks for a new password with a one-time password, and says what is wrong with it',
      async (reader) => {
        const { data } = await app.gql(
          'mutation ($input: UserIdInput!) { setOneTimePassword(input: $input) { ... on SetOneTimePasswordPayload { password } } }',
          { input: { userId: await idOf('associate') } },
          await app.signedIn('leader'),
        );
        await tab.show(reader);
        await tab.open(`${app.url}/`);
        await tab.tabTo('#login');
        await tab.type('associate');
        await tab.tabTo('#password');
        await tab.type(data.setOneTimePassword.password);
        await tab.press('Enter');
        const fault = `document.getElementById('new-password-fault').textContent`;
        await tab.until(`document.activeElement.id === 'new-password'`);
        expect(await tab.read(fault)).toBe('');
        await tab.type('too short');
        await tab.press('Enter');
        await tab.until(`${fault} === 'It must be at least 12 characters long.'`);
        expect(await tab.read('document.activeElement.ariaInvalid')).toBe('true');
        expect(await tab.read(pageFaults)).toEqual([]);
        expect(await tab.read('document.documentElement.scrollWidth')).toBe(reader.width);
        await tab.type(' to be used');
        await tab.press('Enter');
        await tab.until(`${who} === 'Signed in as associate'`);
        await tab.press('Enter');
        await tab.until(`${who} === 'Not signed in'`);

        // Another login is not asked for what this one was.
        expect(
          await tab.read(
            `['login', 'password', 'new-password'].map((id) => document.getElementById(id).value).join('')`,
          ),
        ).toBe('');
        await tab.tabTo('#login');
        await tab.type('associate');
        await tab.tabTo('#password');
        await tab.type('too short to be used');
        await tab.press('Enter');
        await tab.until(`${who} === 'Signed in as associate'`);
        await tab.press('Enter');
        await tab.until(`${who} === 'Not signed in'`);
      },
      120_000,
    );
  },
);
