import { startApp, type TestApp, type TestAppOptions } from './app.ts';
import { AUDIENCE, CLIENT, SECRET, startProvider, type TestProvider } from './openid.ts';
import { feed, organisation } from './records.ts';

/** A gateway whose people come from a provider; `now` of its clock is that of the machine, as the provider's is. */
export interface OpenIdApp extends TestApp {
  provider: TestProvider;
  /** Calls as a person, by the access token. */
  call(token: string, path?: string): ReturnType<TestApp['rest']>;
  /** Queries GraphQL by the access token. */
  ask(token: string, query?: string): ReturnType<TestApp['gql']>;
  /** Signs in by an ID token. */
  signIn(idToken: string): ReturnType<TestApp['rest']>;
}

export const mia = {
  email: 'mia@acme.test',
  email_verified: true,
  name: 'Mia',
  preferred_username: 'mia',
};

export const bearer = (token: string): Record<string, string> => ({
  authorization: `Bearer ${token}`,
});

export async function startOpenIdApp(
  env: Record<string, string> = {},
  options: TestAppOptions & { provider?: TestProvider } = {},
): Promise<OpenIdApp> {
  const provider = options.provider ?? (await startProvider());
  const app = await startApp({
    now: Date.now(),
    ...options,
    env: {
      ...(env['OIDC_FILE'] === undefined && {
        OIDC_ISSUER: provider.issuer,
        OIDC_AUDIENCE: AUDIENCE,
        OIDC_CLIENT_ID: CLIENT,
        OIDC_CLIENT_SECRET: SECRET,
        OIDC_DOMAIN: 'acme',
      }),
      ...env,
    },
  });
  await app.load([...organisation, feed(1)]);
  provider.people['1'] ??= mia;
  return {
    ...app,
    provider,
    call: (token, path = '/task/v1/feeds/list') =>
      app.rest(path, undefined, { headers: bearer(token) }),
    ask: (token, query = '{ viewer { login } }') => app.gql(query, {}, undefined, bearer(token)),
    signIn: (idToken) =>
      app.rest('/session', undefined, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ id_token: idToken }),
      }),
    async close() {
      await app.close();
      if (!options.provider) await provider.close();
    },
  };
}
