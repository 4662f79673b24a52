import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { attacks } from '../support/attack-documents.ts';
import { feed, organisation } from '../support/records.ts';
import { subscribeWs, wsClient } from '../support/streams.ts';

let app: TestApp;
let ana: string;

beforeAll(async () => {
  app = await startApp();
  await app.load([...organisation, feed(1)]);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

it.each(attacks.map((attack) => [attack.name, attack] as const))(
  'refuses with a code: %s',
  async (_, { query, variables, code }) => {
    for (const token of [ana, undefined]) {
      for (let again = 0; again < 3; again++) {
        const answer = await app.gql(query, variables, token);
        expect([answer.status < 500, answer.errors?.[0]?.extensions['code']]).toEqual([true, code]);
      }
    }
  },
);

it('limits hold over WebSocket too', async () => {
  const client = wsClient(app, { 'x-service-csrf-token-x': ana });
  for (const { query, variables, code } of attacks.filter(
    ({ query, variables }) =>
      query !== '' &&
      query.length + JSON.stringify(variables ?? {}).length < 60_000 &&
      !query.startsWith('query A'),
  )) {
    const stream = subscribeWs(client, query, variables ?? {});
    const ended: any = await stream.closed;
    const errors =
      (ended as { extensions?: { code: string } }[] | undefined) ?? stream.results[0]?.errors;
    expect([query.slice(0, 80), errors?.[0]?.extensions?.code]).toEqual([query.slice(0, 80), code]);
  }
  await client.dispose();
});

it('batches are refused, whatever they hold', async () => {
  for (const body of [
    '[]',
    '[{"query":"{__typename}"}]',
    '[{"query":"{__typename}"},{"query":"{__typename}"}]',
  ]) {
    const answer = await app.rest('/graphql', ana, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect([body, answer.status, typeof answer.json['errors'][0].extensions.code]).toEqual([
      body,
      400,
      'string',
    ]);
  }
});
