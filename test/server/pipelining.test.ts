import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { interceptRows } from '../support/intercept-rows.ts';
import { rawHttp, statuses } from '../support/raw-http.ts';
import { organisation } from '../support/records.ts';

let app: TestApp;
let ana: string;
beforeAll(async () => {
  app = await startApp();
  await app.load(organisation);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

const get = (path: string, more = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: gateway\r\nX-service-csrf-token-X: ${ana}\r\n${more}\r\n`;
const slow = (): string => get('/task/v1/feeds/list');
const healthz = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
const last = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

/** Holds requests for feeds until `release`; counts those for workspaces. */
function holdFeeds() {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const seen = { feeds: 0, workspaces: 0 };
  const restore = interceptRows(app.services.db, (rows) => async (sql, ...rest) => {
    if (sql.includes('FROM workspace')) seen.workspaces++;
    if (sql.includes('FROM feed_listing l')) {
      seen.feeds++;
      await released;
    }
    return rows(sql, ...rest);
  });
  return { seen, release, restore };
}

it('requests of a connection are handled one after the other, whatever is sent at once', async () => {
  const { seen, release, restore } = holdFeeds();
  try {
    const answer = rawHttp(
      app.url,
      slow() + get('/api/Workspaces') + get('/api/Workspaces', 'Connection: close\r\n'),
      60_000,
    );
    await expect.poll(() => seen.feeds, { timeout: 20_000 }).toBe(1);
    // It came later, on another connection.
    expect((await app.rest('/api/Workspaces', ana)).status).toBe(200);
    expect(seen.workspaces).toBe(1);
    release();
    expect(
      statuses(await answer.then((text) => text.replaceAll('HTTP/1.1 ', '\nHTTP/1.1 '))),
    ).toEqual([200, 200, 200]);
    expect(seen.workspaces).toBe(3);
  } finally {
    restore();
  }
});

it('so many requests wait that a gateway has memory for them; all that were taken are answered', async () => {
  const { release, restore } = holdFeeds();
  try {
    let cut = 0;
    const send = async (count: number): Promise<number> => {
      const answer = await rawHttp(app.url, slow() + healthz.repeat(count) + last, 60_000);
      cut++;
      return answer.split('HTTP/1.1 200').length - 1;
    };
    const tooMany = send(1_000);
    await expect.poll(() => cut, { timeout: 20_000 }).toBe(1);
    const answers = Array.from({ length: 11 }, () => send(950));
    await expect.poll(() => cut, { timeout: 20_000 }).toBeGreaterThan(1);
    expect(await tooMany).toBe(0);
    release();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([0, 952]));
  } finally {
    restore();
  }
});
