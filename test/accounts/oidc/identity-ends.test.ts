import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { userJobs } from '../../../src/server/control/user-jobs.ts';
import { startOpenIdApp, type OpenIdApp } from '../../support/openid-app.ts';
import { directoryOf } from '../../support/scim.ts';

let app: OpenIdApp;

beforeAll(async () => {
  app = await startOpenIdApp({ PASSWORD_SIGN_IN: 'false' });
});
afterAll(() => app.close());
beforeEach(() => app.setTime(Date.now()));

/** The first request with a new token of a person; the login of whom they are here. */
const come = async (subject: string): Promise<string | undefined> =>
  (await app.ask((await app.provider.tokens(subject)).access_token)).data?.viewer?.login;

/** `trivium user unlink` */
const unlink = (login: string): Promise<{ unlinked: boolean }> =>
  userJobs.unlinkUser.run(app.services, { login }, new AbortController().signal, () => undefined);

it('a user whom a directory deleted and created again is nobody of a provider any more', async () => {
  const directory = await directoryOf(app, 'acme');
  const add = (): ReturnType<typeof directory.send> =>
    directory.send('POST', '/Users', { userName: 'vic@acme.test' });
  const { id } = (await add()).json;
  const before = { email: 'vic@acme.test', email_verified: true };
  app.provider.people['old'] = { ...before };
  expect(await come('old')).toBe('vic@acme.test');
  expect((await directory.send('DELETE', `/Users/${id}`)).status).toBe(204);
  expect((await add()).json['id']).toBe(id);
  // The person who left still has their account, under another address.
  app.provider.people['old'] = { ...before, email: 'vic.old@acme.test' };
  expect(await come('old')).toBeUndefined();
  app.provider.people['new'] = before;
  expect(await come('new')).toBe('vic@acme.test');
});

it('trivium user unlink ends the sessions and frees the user for another account', async () => {
  await app.load([{ record: 'user', domain: 'acme', login: 'wim@acme.test' }]);
  const wim = { email: 'wim@acme.test', email_verified: true };
  app.provider.people['w1'] = wim;
  app.provider.people['w2'] = wim;
  const { access_token: token } = await app.provider.tokens('w1');
  expect((await app.call(token)).status).toBe(200);
  expect(await come('w2')).toBeUndefined();
  expect(await unlink('WIM@acme.test')).toMatchObject({ unlinked: true });
  expect((await app.call(token)).status).toBe(401);
  expect(await unlink('wim@acme.test')).toMatchObject({ unlinked: false });
  expect(await come('w2')).toBe('wim@acme.test');
  expect(await come('w1')).toBeUndefined();
});

it('unlinking at the moment of a sign-in leaves no session without an identity', async () => {
  await app.load([{ record: 'user', domain: 'acme', login: 'zoe@acme.test' }]);
  app.provider.people['zoe'] = { email: 'zoe@acme.test', email_verified: true };
  const of = { user: { login: 'zoe@acme.test' } };
  for (let round = 0; round < 5; round++) {
    const { access_token: token } = await app.provider.tokens('zoe');
    await Promise.all([app.call(token), unlink('zoe@acme.test')]);
    const { prisma } = app.services.db;
    const live = await prisma.session.count({ where: { ...of, revokedAt: null } });
    expect(live).toBe(await prisma.userIdentity.count({ where: of }));
    await unlink('zoe@acme.test');
  }
});

it('a password that can not be used makes nobody an administrator who can sign in', async () => {
  const administrator = { record: 'user', domain: 'acme', permissions: ['DOMAIN_ADMIN'] };
  await app.load([
    { ...administrator, login: 'xia@acme.test' },
    { ...administrator, login: 'old-boss', password: 'a secret of the boss' },
  ]);
  app.provider.people['xia'] = { email: 'xia@acme.test', email_verified: true };
  expect(await come('xia')).toBe('xia@acme.test');
  const { prisma } = app.services.db;
  const { id } = await prisma.user.findUniqueOrThrow({ where: { login: 'xia@acme.test' } });
  const userId = Buffer.from(`User:${id}`).toString('base64');
  const { data } = await app.gql(
    'mutation ($userId: ID!) { disableUser(input: { userId: $userId }) { __typename ... on ValidationError { problems { code } } } }',
    { userId },
    await app.signedIn('old-boss'),
  );
  expect(data.disableUser).toMatchObject({ problems: [{ code: 'LAST_ADMINISTRATOR' }] });
});
