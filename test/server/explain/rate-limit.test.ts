import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { organisation } from '../../support/records.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { RATE_LIMIT: '1' } });
  await app.load(organisation);
});
afterAll(() => app.close());

/** Asks again until the gateway has enough of it. */
async function untilRefused<Answer extends { status: number }>(
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (let calls = 0; calls < 100; calls++) {
    const answer = await ask();
    if (answer.status === 429) return answer;
    expect(answer.status).toBe(200);
  }
  throw new Error('never refused');
}

it('who has no session may ask for so many translations from one address, on the page and in GraphQL', async () => {
  const page = await untilRefused(() => app.rest('/explain?url=/api/Workspaces'));
  expect([
    page.headers.get('content-type'),
    page.headers.get('ratelimit-limit'),
    page.headers.get('retry-after'),
  ]).toEqual(['text/html; charset=utf-8', '1', expect.stringMatching(/^\d+$/)]);
  expect(page.text).toContain('<div class="error" role="alert">');
  expect(page.text).toContain('More than 1 calls');
  const translate = (token?: string) =>
    app.gql('{ translateLegacyRequest(url: "/api/Workspaces") { field } }', {}, token);
  const refused = await untilRefused(() => translate());
  expect(refused.errors).toMatchObject([
    { extensions: { code: 'RATE_LIMITED', legacyCode: 'E902' } },
  ]);
  expect((await translate(await app.signedIn('ana'))).data.translateLegacyRequest.field).toBe(
    'viewer.workspaces',
  );
  expect((await app.rest('/healthz')).status).toBe(200);
  // Calendars have a counter of their own: 404 is not 429.
  expect((await app.rest(`/calendar/${'A'.repeat(43)}.ics`)).status).toBe(404);
});
