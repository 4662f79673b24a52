import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NOON, startApp, type TestApp } from '../support/app.ts';
import { organisation } from '../support/records.ts';

let app: TestApp;
let admin: string;

const acme = { record: 'user', domain: 'acme' };
beforeAll(async () => {
  app = await startApp();
  await app.load([
    ...organisation,
    { ...acme, login: 'admin', permissions: ['DOMAIN_ADMIN'] },
    ...['vera', 'walt', 'xena', 'yves', 'zack'].map((login) => ({
      ...acme,
      login,
      password: `secret of ${login}`,
    })),
    { record: 'user', domain: 'rival', login: 'boss', permissions: ['DOMAIN_ADMIN'] },
  ]);
});
afterAll(() => app.close());
beforeEach(async () => {
  app.setTime(NOON);
  admin = await app.signedIn('admin');
});

const post = (path: string, body: object): ReturnType<TestApp['rest']> =>
  app.rest(path, undefined, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
const signIn = (
  login: string,
  password: string,
  newPassword?: string,
): ReturnType<TestApp['rest']> =>
  post('/session', {
    login,
    password,
    ...(newPassword !== undefined && { new_password: newPassword }),
  });
const change = (
  token: string,
  oldPassword: string,
  newPassword: string,
  on = app,
): ReturnType<TestApp['gql']> =>
  on.gql(
    'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { __typename ... on ChangePasswordPayload { clientMutationId } ... on ValidationError { problems { path code } } } }',
    { input: { oldPassword, newPassword, clientMutationId: 'm' } },
    token,
  );
const idOf = async (login: string): Promise<string> => {
  const { id } = await app.services.db.prisma.user.findUniqueOrThrow({ where: { login } });
  return Buffer.from(`User:${id}`).toString('base64');
};
const setOneTime = async (login: string, token = admin): Promise<any> => {
  const { data, errors } = await app.gql(
    'mutation ($input: UserIdInput!) { setOneTimePassword(input: $input) { __typename ... on UserError { message } ... on SetOneTimePasswordPayload { password user { login hasPassword oneTimePasswordUntil } } } }',
    { input: { userId: await idOf(login) } },
    token,
  );
  expect(errors).toBeUndefined();
  return data.setOneTimePassword;
};
const isIn = async (token: string): Promise<boolean> =>
  (await app.rest('/task/v1/feeds/list', token)).status === 200;

describe('changePassword', () => {
  it('needs the old password, ends the other sessions, and keeps the one that asks', async () => {
    const [mine, other] = [await app.signedIn('vera'), await app.signedIn('vera')];
    const { data } = await change(mine, 'secret of vera', 'Blaue Kacheln 42');
    expect(data.changePassword).toEqual({
      __typename: 'ChangePasswordPayload',
      clientMutationId: 'm',
    });
    expect([await isIn(mine), await isIn(other)]).toEqual([true, false]);
    expect((await signIn('vera', 'secret of vera')).status).toBe(401);
    expect((await signIn('vera', 'Blaue Kacheln 42')).status).toBe(200);
  });

  it.each([
    ['short', 'TOO_SHORT'],
    ['🦉🦉🦉🦉🦉🦉', 'TOO_SHORT'],
    ['x'.repeat(257), 'TOO_LONG'],
    ['secret of walt', 'SAME'],
    ['no nul, but\0', 'INVALID'],
    ['it is I, WALT!', 'HOLDS_LOGIN'],
    ['unbelievable', 'COMMON'],
    ['1qaz2wsx3edc', 'COMMON'],
    ['Password1234', 'COMMON'],
    ['P@ssw0rd!2026', 'COMMON'],
    ['passwordpassword', 'COMMON'],
    ['123456123456', 'COMMON'],
    ['aaaaaaaaaaaabb', 'COMMON'],
    ['2026-Football-11', 'COMMON'],
  ])('refuses %j: %s', async (newPassword, code) => {
    const token = await app.signedIn('walt');
    const { data } = await change(token, 'secret of walt', newPassword);
    expect(data.changePassword).toEqual({
      __typename: 'ValidationError',
      problems: [{ path: ['input', 'newPassword'], code }],
    });
    expect((await signIn('walt', 'secret of walt')).status).toBe(200);
  });

  it.each(['Blaue Kacheln 42', 'correct horse battery', 'пароль для кошки', 'f7K!q2Zp9#Lm'])(
    'takes %j',
    async (newPassword) => {
      const { password } = await setOneTime('walt');
      expect((await signIn('walt', password, newPassword)).status).toBe(200);
    },
  );

  it('counts wrong old passwords as failed sign-ins, and stops after ten', async () => {
    const token = await app.signedIn('xena');
    for (let tries = 0; tries < 10; tries++)
      expect(
        (await change(token, `guess ${tries}`, 'Blaue Kacheln 42')).data.changePassword,
      ).toEqual({
        __typename: 'ValidationError',
        problems: [{ path: ['input', 'oldPassword'], code: 'WRONG' }],
      });
    const stopped = await change(token, 'secret of xena', 'Blaue Kacheln 42');
    expect(stopped.errors?.[0]?.extensions['code']).toBe('RATE_LIMITED');
    expect(await isIn(token)).toBe(true);
  });

  it('counts as a sign-in of its address, also for who knows the old password', async () => {
    const own = await startApp({ env: { RATE_LIMIT: '5' } });
    try {
      await own.load([...organisation, { ...acme, login: 'wes', password: 'secret of wes' }]);
      const token = await own.signedIn('wes');
      const answers = await Promise.all(
        Array.from({ length: 7 }, () => change(token, 'secret of wes', 'too short', own)),
      );
      const codes = answers.map(({ data, errors }) =>
        errors
          ? errors[0]?.extensions['code']
          : data.changePassword.problems.map(({ code }: { code: string }) => code).join(),
      );
      expect(codes.sort()).toEqual([
        ...Array<string>(2).fill('RATE_LIMITED'),
        ...Array<string>(5).fill('TOO_SHORT'),
      ]);
    } finally {
      await own.close();
    }
  });

  it('is of no use to who has no password', async () => {
    const { data } = await change(await app.signedIn('bob'), '', 'Blaue Kacheln 42');
    expect(data.changePassword.problems).toEqual([
      { path: ['input', 'oldPassword'], code: 'WRONG' },
    ]);
  });
});

describe('a one-time password', () => {
  it('is shown once, ends the sessions, and has to be replaced at the first sign-in', async () => {
    const before = await app.signedIn('yves');
    const { password, user } = await setOneTime('yves');
    expect(password).toMatch(/^([2-9a-hjkmnp-z]{5}-){3}[2-9a-hjkmnp-z]{5}$/);
    expect(user).toEqual({
      login: 'yves',
      hasPassword: true,
      oneTimePasswordUntil: '2026-11-27T12:00:00.000Z',
    });
    expect(await isIn(before)).toBe(false);
    expect((await signIn('yves', 'secret of yves')).status).toBe(401);

    const legacy = await signIn('yves', password);
    expect([legacy.status, legacy.json]).toEqual([
      401,
      {
        status: 'ER',
        errorCode: 'E202',
        response: 'This is a one-time password: sign in with a new password, too',
      },
    ]);
    const SIGN_IN =
      'mutation ($input: SignInInput!) { signIn(input: $input) { viewer { login } } }';
    const graphql = await app.gql(SIGN_IN, { input: { login: 'yves', password } });
    expect(graphql.errors?.[0]?.extensions).toEqual({
      code: 'PASSWORD_CHANGE_REQUIRED',
      legacyCode: 'E202',
    });
    const common = await app.gql(SIGN_IN, {
      input: { login: 'yves', password, newPassword: 'passwordpassword' },
    });
    expect(common.errors?.[0]?.extensions['code']).toBe('VALIDATION_ERROR');
    const changed = await app.gql(SIGN_IN, {
      input: { login: 'yves', password, newPassword: 'Blaue Kacheln 42' },
    });
    expect(changed.data.signIn.viewer).toEqual({ login: 'yves' });
    expect((await signIn('yves', password)).json['response']).toBe('Login or password is wrong');
    expect((await signIn('yves', 'Blaue Kacheln 42')).status).toBe(200);
  });

  it('works once, also when it is sent twice at the same time', async () => {
    const { password } = await setOneTime('zack');
    const answers = await Promise.all(
      ['Blaue Kacheln 42', 'Rote Kacheln 43'].map((chosen) => signIn('zack', password, chosen)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it('works for seven days, and through REST too', async () => {
    const { password } = await setOneTime('zack');
    app.setTime(NOON + 7 * 86_400_000);
    expect((await signIn('zack', password, 'Blaue Kacheln 42')).json).toEqual({
      status: 'ER',
      errorCode: 'E202',
      response: 'Login or password is wrong',
    });
    app.setTime(NOON + 7 * 86_400_000 - 1);
    expect((await signIn('zack', password, 'too short')).json).toMatchObject({
      status: 'ER',
      errorCode: 'E900',
      response: 'new_password: must be at least 12 characters long',
    });
    expect((await signIn('zack', password, 'Blaue Kacheln 42')).json['status']).toBe('OK');
  });

  it('that is too old is of no use to a session that began otherwise either', async () => {
    const { password } = await setOneTime('zack');
    app.setTime(NOON + 7 * 86_400_000);
    const { data } = await change(await app.signedIn('zack'), password, 'Blaue Kacheln 42');
    expect(data.changePassword.problems).toEqual([
      { path: ['input', 'oldPassword'], code: 'WRONG' },
    ]);
  });

  it('is replaced by the password of an import', async () => {
    await setOneTime('zack');
    await app.load([{ ...acme, login: 'zack', password: 'from the file' }]);
    expect((await signIn('zack', 'from the file')).status).toBe(200);
  });

  it('is set by administrators of the domain only', async () => {
    expect((await setOneTime('vera', await app.signedIn('ana'))).__typename).toBe('ForbiddenError');
    expect(await setOneTime('vera', await app.signedIn('boss'))).toEqual({
      __typename: 'NotFoundError',
      message: 'User not found',
    });
    expect((await signIn('vera', 'Blaue Kacheln 42')).status).toBe(200);
  });
});
