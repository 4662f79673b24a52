import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/core/context/config.ts';
import { createLog } from '../../src/core/log.ts';
import { startGateway } from '../../src/server/start.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { organisation } from '../support/records.ts';
import { subscribeWs, wsClient } from '../support/streams.ts';

const trusted = 'query Me { viewer { login } }';
const other = '{ viewer { displayName } }';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** As `@apollo/generate-persisted-query-manifest` writes it. */
const apollo = (id: string): object => ({
  format: 'apollo-persisted-query-manifest',
  version: 1,
  operations: [{ id, name: 'Me', type: 'query', body: trusted }],
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-trusted-'));
  mkdirSync(join(folder, 'folder/feeds'), { recursive: true });
  writeFileSync(join(folder, 'folder/feeds/me.graphql'), trusted);
  mkdirSync(join(folder, 'empty'));
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ [sha256(trusted)]: trusted }));
  writeFileSync(join(folder, 'wrong.json'), JSON.stringify({ [sha256(other)]: trusted }));
  writeFileSync(join(folder, 'apollo.json'), JSON.stringify(apollo(sha256(trusted))));
  writeFileSync(join(folder, 'wrong-apollo.json'), JSON.stringify(apollo(sha256(other))));
  writeFileSync(join(folder, 'list.json'), '[]');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(['folder', 'manifest.json', 'apollo.json'])('TRUSTED_DOCUMENTS in %j', (name) => {
  let app: TestApp;
  let ana: string;
  beforeAll(async () => {
    app = await startApp({ env: { TRUSTED_DOCUMENTS: join(folder, name) } });
    await app.load(organisation);
    ana = await app.signedIn('ana');
  });
  afterAll(() => app.close());

  const send = async (body: object): Promise<unknown> => {
    const answer = await app.rest('/graphql', ana, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    return answer.json['errors']?.[0].extensions.code ?? answer.json['data'];
  };

  it('runs a trusted document by digest and by text, the first time and compiled', async () => {
    const me = { viewer: { login: 'ana' } };
    for (let i = 0; i < 3; i++) {
      expect(await send({ documentId: `sha256:${sha256(trusted)}` })).toEqual(me);
      expect(
        await send({ extensions: { persistedQuery: { version: 1, sha256Hash: sha256(trusted) } } }),
      ).toEqual(me);
      expect(await send({ query: trusted })).toEqual(me);
    }
    const get = await app.rest(
      `/graphql?extensions=${encodeURIComponent(JSON.stringify({ persistedQuery: { version: 1, sha256Hash: sha256(trusted) } }))}`,
      ana,
    );
    expect(get.json['data']).toEqual(me);
  });

  it('runs nothing else, whatever digest comes with it', async () => {
    for (let i = 0; i < 3; i++) {
      expect(await send({ query: other })).toBe('UNTRUSTED_DOCUMENT');
      expect(await send({ query: `${trusted} ` })).toBe('UNTRUSTED_DOCUMENT');
      expect(await send({ query: other, documentId: `sha256:${sha256(trusted)}` })).toBe(
        'UNTRUSTED_DOCUMENT',
      );
      expect(await send({ query: '{ __schema { types { name } } }' })).toBe('UNTRUSTED_DOCUMENT');
      expect(await send({ documentId: `sha256:${sha256(other)}` })).toBe('DOCUMENT_NOT_FOUND');
      expect(await send({ documentId: '__proto__' })).toBe('DOCUMENT_NOT_FOUND');
      expect(await send({})).toBe('BAD_REQUEST');
    }
    const client = wsClient(app, { 'x-service-csrf-token-x': ana });
    const ended: any = await subscribeWs(client, other).closed;
    expect(ended[0].extensions.code).toBe('UNTRUSTED_DOCUMENT');
    await client.dispose();
  });
});

it.each(['wrong.json', 'wrong-apollo.json', 'list.json', 'none.json', 'empty'])(
  'a gateway does not start with %s, and makes no database',
  async (name) => {
    const DATA_DIR = join(folder, 'data');
    const env = { DATA_DIR, TRUSTED_DOCUMENTS: join(folder, name), PORT: '0' };
    await expect(startGateway(readConfig(env))).rejects.toThrow(/^TRUSTED_DOCUMENTS: /);
    expect(existsSync(DATA_DIR)).toBe(false);
  },
);

it('a gateway says at the start which of them it can not run', async () => {
  const documents = {
    'a.graphql': trusted,
    'gone.graphql': 'query Gone { viewer { gone } }',
    'half.graphql': 'query {',
    'many.graphql': `{ viewer { login } ${'a:__typename '.repeat(2000)} }`,
  };
  const path = join(folder, 'refused');
  mkdirSync(path);
  for (const [name, text] of Object.entries(documents)) writeFileSync(join(path, name), text);
  const lines: any[] = [];
  const log = createLog('warn', { write: (line) => void lines.push(JSON.parse(line)) });
  const app = await startApp({ env: { TRUSTED_DOCUMENTS: path }, log });
  expect(lines.map(({ document, errors, msg }) => [document, errors[0], msg]).sort()).toEqual(
    [
      ['gone.graphql', 'Cannot query field "gone" on type "Viewer".'],
      ['half.graphql', 'Syntax Error: Expected Name, found <EOF>.'],
      ['many.graphql', 'Syntax Error: Document contains more that 1000 tokens. Parsing aborted.'],
    ].map((line) => [...line, 'a trusted document can not be run']),
  );
  await app.close();
});

describe('in production', () => {
  const introspection = '{ __schema { queryType { name } } }';

  it('introspection and GraphiQL are off', async () => {
    const app = await startApp({ env: { NODE_ENV: 'production' } });
    for (const query of [
      introspection,
      '{ __type(name: "Feed") { name } }',
      'query A { a: __schema { types { name } } }',
    ]) {
      for (let i = 0; i < 3; i++)
        expect((await app.gql(query)).errors?.[0]?.extensions['code']).toBe(
          'GRAPHQL_VALIDATION_FAILED',
        );
    }
    expect((await app.gql('{ __typename }')).data).toEqual({ __typename: 'Query' });
    const page = await app.rest('/graphql', undefined, { headers: { accept: 'text/html' } });
    expect([page.status < 500, page.text.includes('<html')]).toEqual([true, false]);
    expect((await app.rest('/')).text).not.toContain('GraphiQL');
    await app.close();
  });

  it.each([
    ['false', 0],
    ['true', 3],
  ])(
    'errors suggest names where INTROSPECTION is %s: %i of 3',
    async (INTROSPECTION, suggested) => {
      const app = await startApp({ env: { NODE_ENV: 'production', INTROSPECTION } });
      await app.load(organisation);
      const ana = await app.signedIn('ana');
      const client = wsClient(app, { 'x-service-csrf-token-x': ana });
      const wrong = '{ viewer { logn } }';
      const answers = [
        await app.gql(wrong, {}, ana),
        await app.gql(
          'query ($s: FeedStatus!) { viewer { feeds(filter: { statuses: [$s] }) { totalCount } } }',
          { s: 'OVERDU' },
          ana,
        ),
        await subscribeWs(client, wrong).closed,
      ].map((answer) => JSON.stringify(answer));
      for (const answer of answers) expect(answer).toMatch(/logn|OVERDU/);
      expect(answers.filter((answer) => answer.includes('Did you mean'))).toHaveLength(suggested);
      await client.dispose();
      await app.close();
    },
  );

  it('and come when they are switched on', async () => {
    const app = await startApp({
      env: { NODE_ENV: 'production', INTROSPECTION: 'true', GRAPHIQL: 'true' },
    });
    expect((await app.gql(introspection)).data).toEqual({
      __schema: { queryType: { name: 'Query' } },
    });
    expect(
      (await app.rest('/graphql', undefined, { headers: { accept: 'text/html' } })).text,
    ).toContain('<html');
    await app.close();
  });
});
