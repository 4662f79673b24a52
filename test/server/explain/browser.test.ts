import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { findBrowser } from '../../support/browser.ts';
import { openTab, type BrowserTab } from '../../support/browser-tab.ts';
import { pageFaults } from '../../support/page-faults.ts';
import { feed, organisation } from '../../support/records.ts';

const browser = findBrowser();
const pages = {
  'the empty form': '/explain',
  'a translation': `/explain?url=${encodeURIComponent(`/task/v1/feeds/list?limit=2&pin=7&${'long'.repeat(60)}=1`)}`,
  'a write': `/explain?url=${encodeURIComponent('/task/v1/actions/5/suggested-date?sugg_start_date_val=20270101')}&method=POST`,
  'an error': `/explain?url=${encodeURIComponent(`/task/${'long'.repeat(60)}`)}`,
};
const readers = [360, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, height: 740, scheme })),
);

/** Set REQUIRE_BROWSER where the test must not be left out, as in CI. */
describe.skipIf(browser === undefined && process.env.REQUIRE_BROWSER === undefined)(
  '/explain in Chromium',
  () => {
    let app: TestApp;
    let tab: BrowserTab;
    beforeAll(async () => {
      app = await startApp();
      await app.load([...organisation, feed(1, { feed_title: 'Sweep the floor' })]);
      tab = await openTab(browser ?? 'chromium');
    }, 120_000);
    afterAll(async () => {
      await tab.close();
      await app.close();
    });

    it.each(readers)(
      'fits and is legible at $width px, $scheme',
      async (reader) => {
        await tab.show(reader);
        const grounds = new Set<string>();
        for (const [name, path] of Object.entries(pages)) {
          await tab.open(app.url + path);
          expect([name, await tab.read('document.documentElement.scrollWidth')]).toEqual([
            name,
            reader.width,
          ]);
          expect([name, await tab.read(pageFaults)]).toEqual([name, []]);
          grounds.add(await tab.read('getComputedStyle(document.body).backgroundColor'));
        }
        expect([...grounds]).toEqual([
          reader.scheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(17, 22, 28)',
        ]);
      },
      120_000,
    );

    it.each([360, 1280])(
      'a keyboard is enough at %i px: translate, run both, open in GraphiQL',
      async (width) => {
        await tab.show({ width, height: 740, scheme: 'light' });
        await tab.open(`${app.url}/explain`);
        await tab.tabTo('#url');
        expect(await tab.read('getComputedStyle(document.activeElement).outlineStyle')).toBe(
          'solid',
        );
        await tab.type('/task/v1/feeds/list?projections=feed_title&sort_by=priority');
        await tab.tabTo('main form[method=post] button');
        await tab.press('Enter');
        await tab.until(`document.getElementById('operation')?.textContent.includes('feedTitle')`);
        expect(await tab.read(`document.querySelector('[role=status] h2').textContent`)).toBe(
          'GET /task/v1/feeds/list is viewer.feeds',
        );

        await tab.tabTo('#session summary');
        await tab.press('Enter');
        await tab.tabTo('#login');
        await tab.type('ana');
        await tab.tabTo('#password');
        await tab.type('secret of ana');
        await tab.press('Enter');
        await tab.until(
          `document.getElementById('session-who').textContent === 'Signed in as ana'`,
        );
        await tab.tabTo('#run-button');
        expect(await tab.read('getComputedStyle(document.activeElement).outlineStyle')).toBe(
          'solid',
        );
        await tab.press('Enter');
        const answers = `['rest', 'graphql'].map((name) => document.getElementById(name + '-answer').textContent)`;
        await tab.until(
          `${answers}.every((text) => text !== '') && !document.getElementById('run-button').disabled`,
        );
        expect((await tab.read<string[]>(answers)).map((text) => JSON.parse(text))).toMatchObject([
          { feed_details: [{ feed_title: 'Sweep the floor' }] },
          { data: { viewer: { feeds: { nodes: [{ feedTitle: 'Sweep the floor' }] } } } },
        ]);
        expect(await tab.read('document.documentElement.scrollWidth')).toBe(width);
        expect(await tab.read(pageFaults)).toEqual([]);

        await tab.tabTo('a.button');
        await tab.press('Enter');
        await tab.until(
          `location.pathname === '/graphql' && document.body.innerText.includes('RetrieveFeeds')`,
        );
      },
      240_000,
    );
  },
);
