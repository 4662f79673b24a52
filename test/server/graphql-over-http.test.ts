import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';

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

const document = '{ __typename }';

it.each([
  ['Application/JSON', JSON.stringify({ query: document })],
  ['application/json ; charset=UTF-8', JSON.stringify({ query: document })],
  ['APPLICATION/GRAPHQL+JSON;', JSON.stringify({ query: document })],
  ['Application/GraphQL', document],
  ['Application/X-WWW-Form-Urlencoded', new URLSearchParams({ query: document }).toString()],
  [
    'Multipart/Form-Data ; boundary=AbC',
    `--AbC\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${JSON.stringify({ query: document })}\r\n--AbC--\r\n`,
  ],
])('the media type %s is read in any case, and with blanks', async (type, body) => {
  const headers = { 'content-type': type, 'x-requested-with': 'test' };
  const { status, json } = await app.rest('/graphql', undefined, { method: 'POST', headers, body });
  expect([status, json.data]).toEqual([200, { __typename: 'Query' }]);
});

it('nothing runs when Accept allows no type of answer', async () => {
  await app.load([...organisation, feed(1)]);
  const ana = await app.signedIn('ana');
  const query = (pinned: boolean): string =>
    `mutation { setFeedState(input: { feedIds: ["RmVlZDox"], pinned: ${pinned} }) { __typename } }`;
  for (const accept of [
    'text/html',
    'image/png;q=1',
    'application/json;charset=latin1',
    `${'image/png,'.repeat(100)}application/json`,
  ])
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      const answer = await app.rest('/graphql', ana, {
        method: 'POST',
        headers: { accept, 'content-type': type },
        body:
          type === 'application/json'
            ? JSON.stringify({ query: query(true) })
            : new URLSearchParams({ query: query(true) }).toString(),
      });
      expect([answer.status, answer.json.errors[0].extensions.code]).toEqual([
        406,
        'NOT_ACCEPTABLE',
      ]);
    }
  const { data } = await app.gql('{ feed(feedKey: 1) { pinned } }', {}, ana);
  expect(data.feed.pinned).toBe(false);
});

it('a method that GraphQL does not have is told those that it has, as OPTIONS is', async () => {
  const call = (method: string): ReturnType<TestApp['rest']> =>
    app.rest('/graphql', undefined, { method, headers: { accept: 'text/html' } });
  const { headers } = await call('OPTIONS');
  for (const method of ['PUT', 'DELETE', 'HEAD']) {
    const wrong = await call(method);
    expect({ method, status: wrong.status, allow: wrong.headers.get('allow') }).toEqual({
      ...{ method, status: 405, allow: headers.get('allow') },
    });
  }
  const { json } = await call('PUT');
  expect(json.errors[0].extensions.code).toBe('BAD_REQUEST');
});

it('any number of blanks is before a bearer token, as in RFC 9110', async () => {
  const ana = await app.signedIn('ana');
  const ask = async (authorization: string): Promise<unknown> =>
    (await app.gql('{ viewer { login } }', {}, undefined, { authorization })).data?.viewer;
  expect(await ask(`Bearer   ${ana}`)).toEqual({ login: 'ana' });
  expect(await ask(`bearer ${ana}`)).toEqual({ login: 'ana' });
  expect(await ask(`Bearer${ana}`)).toBeUndefined();
});
