import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { findBrowser } from '../support/browser.ts';
import { openTab, type BrowserTab } from '../support/browser-tab.ts';
import { installClient, type InstalledClient } from '../support/client-package.ts';
import { feed, organisation } from '../support/records.ts';

const blocks = [
  ...readFileSync('docs/single-page-app.md', 'utf8').matchAll(
    /^```(?:html|js) (.+)\n([^]*?)^```$/gm,
  ),
].map(([, file = '', text]) => ({ file, text }));

it('is shown in docs/single-page-app.md as it is tested', () => {
  expect(blocks.map(({ file }) => file)).toEqual([
    'test/client/single-page-app/index.html',
    'test/client/single-page-app/app.js',
  ]);
  for (const { file, text } of blocks) expect(text).toBe(readFileSync(file, 'utf8'));
});

const browser = findBrowser();

/** Set REQUIRE_BROWSER where the test must not be left out, as in CI. */
describe.skipIf(browser === undefined && process.env.REQUIRE_BROWSER === undefined)(
  'in Chromium',
  () => {
    let app: TestApp, client: InstalledClient, pages: Server, tab: BrowserTab, page: string;
    beforeAll(async () => {
      client = await installClient();
      pages = createServer(
        (request, response) =>
          void serve(request.url ?? '/').then(
            ([type, text]) => response.setHeader('content-type', type).end(text),
            () => response.writeHead(404).end(),
          ),
      );
      await new Promise<void>((done) => pages.listen(0, '127.0.0.1', done));
      page = `http://localhost:${(pages.address() as AddressInfo).port}/`;
      app = await startApp({ env: { CORS_ORIGINS: new URL(page).origin } });
      await app.load([...organisation, feed(1, { feed_title: '<b>one</b>' })]);
      tab = await openTab(browser ?? 'chromium');
    }, 120_000);
    afterAll(async () => {
      await tab.close();
      pages.closeAllConnections();
      pages.close();
      await app.close();
      await client.remove();
    });

    /** A file as a plain web server sends it; the gateway's address is the only thing that differs. */
    async function serve(path: string): Promise<[type: string, text: string]> {
      if (path.endsWith('/'))
        return ['text/html', await readFile('test/client/single-page-app/index.html', 'utf8')];
      const file =
        path === '/app.js' ? 'test/client/single-page-app/app.js' : join(client.folder, path);
      return [
        'text/javascript',
        (await readFile(file, 'utf8')).replace('http://127.0.0.1:4000', app.url),
      ];
    }
    const listed = (texts: string[]): string =>
      `JSON.stringify([...document.querySelectorAll('li')].map((item) => item.textContent)) === ${JSON.stringify(JSON.stringify(texts))}`;
    const signIn = async (password: string): Promise<void> => {
      await tab.until(`document.querySelector('form').hidden === false`);
      await tab.read(
        `document.querySelector('[name=login]').value = 'ana', document.querySelector('[name=password]').value = ${JSON.stringify(password)}, document.querySelector('form').requestSubmit()`,
      );
    };

    it('signs in, shows feeds and their changes, keeps its session for the tab, and signs out', async () => {
      await tab.open(page);
      await signIn('wrong');
      await tab.until(
        `document.querySelector('[role=alert]').textContent === 'Login or password is wrong'`,
      );
      await signIn('secret of ana');
      await tab.until(listed(['<b>one</b>: NEW']));
      await app.load([feed(2, { feed_title: 'two' })]);
      await tab.until(listed(['<b>one</b>: NEW', 'two: NEW']));
      await tab.read('globalThis.isOld = true, location.reload()');
      await tab.until('globalThis.isOld === undefined');
      await tab.until(listed(['<b>one</b>: NEW', 'two: NEW']));
      await tab.read(`document.querySelector('main button').click()`);
      await tab.until(
        `document.querySelector('form').hidden === false && sessionStorage.length === 0`,
      );
      expect(await app.services.db.prisma.session.count({ where: { revokedAt: null } })).toBe(0);
    }, 120_000);

    it('reads nothing from an origin that is not listed', async () => {
      await tab.open(page.replace('localhost', '127.0.0.1'));
      await signIn('secret of ana');
      await tab.until(`document.querySelector('[role=alert]').textContent === 'Failed to fetch'`);
    }, 120_000);
  },
);
