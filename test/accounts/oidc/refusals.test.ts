import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startOpenIdApp, type OpenIdApp } from '../../support/openid-app.ts';

let app: OpenIdApp;

beforeAll(async () => {
  app = await startOpenIdApp({ RATE_LIMIT: '5' });
  await app.load([{ record: 'user', domain: 'acme', login: 'mia@acme.test' }]);
  app.provider.people['stranger'] = { email: 'nobody@acme.test', email_verified: true };
});
afterAll(() => app.close());

it('a genuine token that is refused opens no transaction, however often it comes', async () => {
  const { db } = app.services;
  const { transaction } = db;
  // Background jobs open transactions, too.
  const opened: string[] = [];
  vi.spyOn(db, 'transaction').mockImplementation((work) => {
    opened.push(new Error().stack ?? '');
    return transaction(work);
  });
  const ofTokens = (): number => opened.filter((stack) => stack.includes('identify-token')).length;
  const { access_token: token } = await app.provider.tokens('stranger');
  for (let call = 0; call < 8; call++) expect((await app.call(token)).status).toBe(401);
  expect(ofTokens()).toBe(0);
  const { access_token: good } = await app.provider.tokens('1');
  expect((await app.call(good)).status).toBe(200);
  expect(ofTokens()).toBe(1);
});

it('limits sign-ins with tokens from one address', async () => {
  const answers = [];
  for (let call = 0; call < 6; call++) answers.push(await app.signIn('anything'));
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429]);
  expect(answers[5]?.headers.get('retry-after')).toMatch(/^\d+$/);
  const { errors } = await app.gql(
    'mutation { signInWithToken(input: { idToken: "anything" }) { token } }',
  );
  expect(errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
});
