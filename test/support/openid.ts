import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import Provider from 'oidc-provider';

export const AUDIENCE = 'https://trivium.test/api';
export const CLIENT = 'trivium';
export const SECRET = 'a secret of the client, long enough';

/** A certified OpenID provider on loopback; its people are signed in by their login_hint. */
export interface TestProvider {
  issuer: string;
  /** Claims by subject. */
  people: Record<string, Record<string, unknown>>;
  /** Paths that were asked for. */
  asked: string[];
  /** Where browsers may be sent back to. */
  redirectUris: string[];
  /** The key by which it signs. */
  key(): { privateKey: CryptoKey; jwk: JWK };
  /** Replaces the key; tokens of the old one are no longer genuine. */
  rotate(): Promise<void>;
  /** What it answers instead, by path. */
  instead: Map<string, { status: number; body: string }>;
  /** Tokens for a person, by the code flow with PKCE. */
  tokens(subject: string): Promise<{ access_token: string; id_token: string }>;
  /** A token of its key with these claims, and headers. */
  sign(claims: object, header?: object): Promise<string>;
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function startProvider(): Promise<TestProvider> {
  let provider: { handle: (request: IncomingMessage, response: ServerResponse) => void };
  let current: { privateKey: CryptoKey; jwk: JWK };
  const server = createServer((request, response) => {
    self.asked.push(request.url ?? '');
    const other = self.instead.get(request.url ?? '');
    if (other)
      response.writeHead(other.status, { 'content-type': 'application/json' }).end(other.body);
    else provider.handle(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const issuer = `http://127.0.0.1:${port}`;

  const self: TestProvider = {
    issuer,
    people: {},
    asked: [],
    redirectUris: [`${issuer}/nowhere`],
    instead: new Map(),
    key: () => current,
    async rotate() {
      const { privateKey } = await generateKeyPair('RS256', { extractable: true });
      const kid = randomBytes(6).toString('hex');
      const jwk = { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' };
      current = { privateKey, jwk };
      provider = makeProvider(self, jwk);
    },
    tokens: (subject) => runCodeFlow(self, subject),
    sign: (claims, header = {}) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: current.jwk.kid ?? '', ...header })
        .sign(current.privateKey),
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
    async start() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async close() {
      if (server.listening) await self.stop();
    },
  };
  await self.rotate();
  return self;
}

function makeProvider(
  self: TestProvider,
  jwk: JWK,
): { handle: (request: IncomingMessage, response: ServerResponse) => void } {
  const client = {
    client_id: CLIENT,
    client_secret: SECRET,
    grant_types: ['authorization_code'],
    get redirect_uris() {
      return self.redirectUris;
    },
  };
  const provider = new Provider(self.issuer, {
    clients: [{ ...client }],
    jwks: { keys: [jwk] },
    cookies: { keys: ['for the tests'] },
    conformIdTokenClaims: false,
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username', 'groups', 'roles', 'store'],
      email: ['email', 'email_verified'],
    },
    ttl: {
      AccessToken: 3600,
      IdToken: 3600,
      AuthorizationCode: 60,
      Interaction: 600,
      Session: 3600,
      Grant: 3600,
    },
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => AUDIENCE,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'api',
          audience: AUDIENCE,
          accessTokenFormat: 'jwt',
        }),
      },
    },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...self.people[accountId] }),
    }),
    extraTokenClaims: (_: unknown, token: { accountId: string }) => self.people[token.accountId],
    interactions: { url: () => '/interaction' },
  });
  const callback = provider.callback();
  const interact = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { params } = await provider.interactionDetails(request, response);
    const accountId =
      typeof params['login_hint'] === 'string'
        ? params['login_hint']
        : (Object.keys(self.people)[0] ?? '');
    const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) });
    grant.addOIDCScope('openid profile email');
    grant.addResourceScope(AUDIENCE, 'api');
    const grantId = await grant.save();
    await provider.interactionFinished(request, response, {
      login: { accountId },
      consent: { grantId },
    });
  };
  return {
    handle: (request, response) =>
      void (request.url?.startsWith('/interaction') ? interact : callback)(request, response).catch(
        (error: unknown) => response.writeHead(500).end(String(error)),
      ),
  };
}

/** A browser without a window: follows redirects of the provider with its cookies. */
async function runCodeFlow(
  { issuer, redirectUris }: TestProvider,
  subject: string,
): Promise<{ access_token: string; id_token: string }> {
  const verifier = randomBytes(32).toString('base64url');
  const redirectUri = redirectUris[0] ?? '';
  const query = new URLSearchParams({
    ...{ client_id: CLIENT, response_type: 'code', redirect_uri: redirectUri },
    ...{ scope: 'openid profile email', login_hint: subject, state: 'any', prompt: 'login' },
    nonce: randomBytes(8).toString('hex'),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const arrived = await followRedirects(`${issuer}/auth?${query}`, (url) =>
    url.startsWith(redirectUri),
  );
  const code = new URL(arrived).searchParams.get('code');
  if (!code) throw new Error(arrived);
  const answer = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${CLIENT}:${encodeURIComponent(SECRET)}`).toString('base64')}`,
    },
    body: new URLSearchParams({
      ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri },
      code_verifier: verifier,
    }),
  });
  const body = (await answer.json()) as { access_token: string; id_token: string };
  if (!answer.ok) throw new Error(JSON.stringify(body));
  return body;
}

/** Follows redirects with cookies until one leads to where `arrived` says; returns that address, without asking for it. */
export async function followRedirects(
  start: string,
  arrived: (url: string) => boolean,
): Promise<string> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let hops = 0; hops < 10; hops++) {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (!location) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
    url = new URL(location, url).href;
    if (arrived(url)) return url;
  }
  throw new Error(`too many redirects: ${url}`);
}
