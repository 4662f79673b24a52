import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

it.each(
  serverAudits({ url: () => `${app.url}/graphql` }).map((audit) => [audit.name, audit] as const),
)('GraphQL over HTTP: %s', async (_, audit) => {
  const result = await audit.fn();
  expect(result.status === 'ok' ? 'ok' : `${result.status}: ${result.reason}`).toBe('ok');
});

it('serves GraphiQL that loads nothing from elsewhere, with a query and a place for the token', async () => {
  const page = await app.rest('/graphql', undefined, { headers: { accept: 'text/html' } });
  expect(page.status).toBe(200);
  expect(page.text).toContain('MyWork');
  expect(page.text).toContain('X-service-csrf-token-X');
  expect(page.text.match(/<(script|link)[^>]+(src|href)="?(https?:)?\/\//g)).toBeNull();
});
