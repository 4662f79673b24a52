import { afterEach, expect, it } from 'vitest';
import { readConfig } from '../../src/core/context/config.ts';
import type { OpenApiDocument, Parameter, Reference } from '../../src/server/openapi/document.ts';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
afterEach(() => app.close());

const OURS = 'https://app.example.com';
const paths = [
  '/graphql',
  '/session',
  '/task/v1/feeds/list',
  '/api/Workspaces',
  '/api/task-tracker-external/tasks',
  '/openapi.json',
  '/explain',
];
const corsOf = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control')));
const ask = (path: string, origin: string) =>
  app.rest(path, undefined, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-service-csrf-token-x',
    },
  });

it('is off unless configured: no header to anybody', async () => {
  app = await startApp();
  for (const path of paths) {
    expect(corsOf((await ask(path, OURS)).headers)).toEqual({});
    expect(
      corsOf((await app.rest(path, undefined, { headers: { origin: OURS } })).headers),
    ).toEqual({});
  }
});

it('lets the listed origins in, and nobody whose name is merely like theirs', async () => {
  app = await startApp({ env: { CORS_ORIGINS: `${OURS}, http://localhost:3000` } });
  for (const path of paths) {
    const preflight = await ask(path, OURS);
    expect([
      path,
      preflight.status,
      preflight.headers.get('access-control-allow-origin'),
      preflight.headers.get('vary'),
    ]).toEqual([path, 204, OURS, 'origin']);
    expect(preflight.headers.get('access-control-allow-headers')).toContain(
      'x-service-csrf-token-x',
    );
    expect(preflight.headers.get('access-control-allow-methods')).toMatch(/GET|POST/);
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    const answer = await app.rest(path, undefined, {
      headers: { origin: 'http://localhost:3000' },
    });
    expect([
      answer.headers.get('access-control-allow-origin'),
      answer.headers.get('access-control-expose-headers'),
    ]).toEqual(['http://localhost:3000', expect.stringContaining('x-request-id')]);
    for (const other of [
      'null',
      'https://evil.example',
      `${OURS}.evil.example`,
      'https://evil-app.example.com',
      'http://app.example.com',
      OURS.toUpperCase(),
      `${OURS}/`,
      '*',
    ]) {
      expect([other, corsOf((await ask(path, other)).headers)]).toEqual([other, {}]);
      expect(
        corsOf((await app.rest(path, undefined, { headers: { origin: other } })).headers),
      ).toEqual({});
    }
  }
});

it('allows credentials to listed origins only: never with *', async () => {
  app = await startApp({
    env: { CORS_ORIGINS: OURS, CORS_CREDENTIALS: 'true', HSTS_MAX_AGE: '31536000' },
  });
  const { headers } = await ask('/graphql', OURS);
  expect([
    headers.get('access-control-allow-origin'),
    headers.get('access-control-allow-credentials'),
  ]).toEqual([OURS, 'true']);
  expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
  expect(() => readConfig({ CORS_ORIGINS: '*', CORS_CREDENTIALS: 'true' })).toThrow(
    /^CORS_CREDENTIALS: /,
  );
  for (const fault of [
    'app.example.com',
    'https://app.example.com/',
    'https://*.example.com',
    'null',
    'ftp://a',
    `${OURS},`,
  ])
    expect(() => readConfig({ CORS_ORIGINS: fault })).toThrow(/^CORS_ORIGINS: /);
});

it('* is for everybody, without credentials', async () => {
  app = await startApp({ env: { CORS_ORIGINS: '*' } });
  const { headers } = await ask('/graphql', 'https://anybody.example');
  expect([
    headers.get('access-control-allow-origin'),
    headers.get('access-control-allow-credentials'),
  ]).toEqual(['*', null]);
});

it('lets scripts send and read every header that OpenAPI describes', async () => {
  app = await startApp({ env: { CORS_ORIGINS: OURS } });
  const document = (await app.rest('/openapi.json')).json as unknown as OpenApiDocument;
  const named = (one: Parameter | Reference): Parameter =>
    '$ref' in one ? document.components.parameters[one.$ref.split('/').at(-1)!]! : one;
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const sent = operations.flatMap(({ parameters }) =>
    parameters
      .map(named)
      .filter((parameter) => parameter.in === 'header')
      .map(({ name }) => name.toLowerCase()),
  );
  const read = operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ headers = {} }) =>
      Object.keys(headers).map((name) => name.toLowerCase()),
    ),
  );
  const list = (value: string | null): string[] => (value ?? '').split(', ');
  const allowed = list((await ask('/session', OURS)).headers.get('access-control-allow-headers'));
  const exposed = list(
    (await app.rest('/healthz', undefined, { headers: { origin: OURS } })).headers.get(
      'access-control-expose-headers',
    ),
  );
  expect([...new Set(sent)]).toEqual(
    expect.arrayContaining(['prefer', 'x-explain', 'x-resume-cursor']),
  );
  expect(sent.filter((name) => !allowed.includes(name))).toEqual([]);
  expect(read.filter((name) => !exposed.includes(name))).toEqual([]);
});
