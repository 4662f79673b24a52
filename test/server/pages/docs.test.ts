import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { findBrowser } from '../../support/browser.ts';
import { openTab, type BrowserTab } from '../../support/browser-tab.ts';
import { organisation } from '../../support/records.ts';

it('GET /docs is a page in production too, whose files come from the gateway, compressed', async () => {
  const app = await startApp({ env: { NODE_ENV: 'production', BASE_PATH: '/gateway' } });
  const page = await app.rest('/docs');
  expect([page.status, page.headers.get('content-type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
  const policy = page.headers.get('content-security-policy')!;
  expect(policy).toMatch(
    /^default-src 'none'; script-src 'self' 'sha256-[^ ]+'; style-src 'self' 'sha256-[^ ]+';/,
  );
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  const files = [...page.text.matchAll(/ (?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(
    ([, path]) => path!,
  );
  expect(files.map((path) => path.replace(/[^/]+\/([^/]+)$/, '$1'))).toEqual([
    '/gateway/assets/docs/swagger-ui.css',
    '/gateway/assets/docs/swagger-ui-bundle.js',
  ]);
  for (const path of files) {
    const { status, headers } = await fetch(new URL(path, app.url));
    expect([status, headers.get('content-encoding')]).toEqual([200, 'gzip']);
    expect(headers.get('cache-control')).toContain('immutable');
  }
  await app.close();
});

const browser = findBrowser();

describe.skipIf(browser === undefined && process.env.REQUIRE_BROWSER === undefined)(
  '/docs in Chromium',
  () => {
    let app: TestApp;
    let tab: BrowserTab;
    beforeAll(async () => {
      app = await startApp();
      await app.load(organisation);
      tab = await openTab(browser ?? 'chromium');
    }, 120_000);
    afterAll(async () => {
      await tab.close();
      await app.close();
    });

    it.each([
      [390, 'light'],
      [1280, 'dark'],
    ] as const)(
      'at %i px, %s: shows every operation, and sends what is tried with the session',
      async (width, scheme) => {
        await tab.show({ width, height: 780, scheme });
        await tab.open(`${app.url}/`);
        await tab.read(
          `sessionStorage.setItem('trivium.session:', ${JSON.stringify(
            JSON.stringify({
              login: 'ana',
              token: await app.signedIn('ana'),
              expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
            }),
          )})`,
        );
        await tab.open(`${app.url}/docs`);
        expect(await tab.read(`document.getElementById('session-who').textContent`)).toBe(
          'Signed in as ana',
        );
        const { paths } = (await app.rest('/openapi.json')).json as {
          paths: Record<string, object>;
        };
        const count = Object.values(paths).flatMap((methods) => Object.keys(methods)).length;
        await tab.until(`document.querySelectorAll('.opblock').length === ${count}`);
        expect(await tab.read('document.documentElement.scrollWidth')).toBe(width);
        const block = `document.getElementById('operations-Dataset_management-listWorkspaces')`;
        // By keyboard, from the filter on: there are some hundred stops before.
        await tab.read(`document.querySelector('.operation-filter-input').focus()`);
        await tab.type('Dataset');
        const within = '#operations-Dataset_management-listWorkspaces';
        for (const part of ['.opblock-summary-control', '.try-out__btn', '.execute']) {
          await tab.until(`${block}.querySelector('${part}') !== null`);
          await tab.tabTo(`${within} ${part}`);
          expect(
            await tab.read(
              `(({ outlineStyle, outlineWidth }) => outlineStyle + outlineWidth)(getComputedStyle(document.activeElement))`,
            ),
          ).toBe('solid3px');
          await tab.press('Enter');
        }
        await tab.until(
          `${block}.querySelector('.live-responses-table .response .response-col_status')?.innerText.includes('200')`,
        );
        expect(await tab.read('document.documentElement.scrollWidth')).toBe(width);
      },
      120_000,
    );

    it('fills in only what is required', async () => {
      await tab.open(`${app.url}/docs`);
      const block = `document.getElementById('operations-Dataset_management-exportProject')`;
      for (const part of ['.opblock-summary-control', '.try-out__btn']) {
        await tab.until(`${block}?.querySelector('${part}') != null`);
        await tab.read(`${block}.querySelector('${part}').click()`);
      }
      await tab.until(`${block}.querySelector('.execute') !== null`);
      const filled = (name: string): Promise<string> =>
        tab.read(
          `${block}.querySelector('[data-param-name="${name}"]').querySelector('input, select').value`,
        );
      expect([await filled('dataFilter'), await filled('format'), await filled('version')]).toEqual(
        ['All', '', ''],
      );
      expect(await tab.read(`${block}.innerText`)).toContain('Example: 80/10/10');
    }, 120_000);
  },
);
