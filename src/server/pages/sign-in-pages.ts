import type { IncomingMessage } from 'node:http';
import { beginCodeFlow, finishCodeFlow } from '../../accounts/oidc/code-flow.ts';
import { signInWithToken, type BegunSession } from '../../accounts/oidc/sign-in-with-token.ts';
import { onRecord } from '../../core/audit/on-record.ts';
import { startAct } from '../../core/context/act.ts';
import type { Services } from '../../core/context/context.ts';
import type { OidcProvider } from '../../core/oidc/oidc-provider.ts';
import { AppError, ForbiddenError } from '../../core/errors.ts';
import { toAppError } from '../../core/failures/to-app-error.ts';
import type { Reply } from '../../core/rest/route.ts';
import type { Client } from '../http/read-client.ts';
import { refuseMethod } from '../http/refuse-method.ts';
import {
  attemptCookie,
  endedAttempt,
  readAttempt,
  type BrowserAttempt,
} from './sign-in-attempt.ts';

/** Below it, browsers sign in at a provider. */
export const SIGN_IN = '/sign-in';

/** Where users may begin, and come back to. */
const PAGES: readonly string[] = ['/', '/datasets', '/graphql', '/explain', '/docs'];

/** What the script of the pages looks for in the address. */
const BACK = '#sign-in';
const FAILED = '#sign-in-failed';

interface Visit extends Client {
  request: IncomingMessage;
  requestId: string;
  query: URLSearchParams;
}

/**
 * The code flow of browsers: `GET /sign-in/<provider>` leads to the provider, which leads back to
 * `GET /sign-in/<provider>/callback`; the page then fetches its session by `POST /sign-in`. No token gets into an address
 * or a cookie. Undefined for any other path.
 */
export async function answerSignIn(
  services: Services,
  pathname: string,
  visit: Visit,
): Promise<Reply | undefined> {
  if (pathname !== SIGN_IN && !pathname.startsWith(`${SIGN_IN}/`)) return undefined;
  const { method } = visit.request;
  if (pathname === SIGN_IN) {
    if (method !== 'POST') throw refuseMethod('POST');
    return finish(services, visit);
  }
  const [, id = '', tail] = /^\/sign-in\/([a-z0-9-]+)(\/callback)?$/.exec(pathname) ?? [];
  const provider = findProvider(services, id);
  if (!provider) return undefined;
  if (method !== 'GET') throw refuseMethod('GET');
  return tail === undefined
    ? begin(services, provider, visit)
    : comeBack(services, provider, visit);
}

function findProvider({ oidc }: Services, id: string): OidcProvider | undefined {
  return oidc.find(({ settings }) => settings.id === id && settings.clientId !== undefined);
}

async function begin(services: Services, provider: OidcProvider, visit: Visit): Promise<Reply> {
  const { query, baseUrl } = visit;
  const { id } = provider.settings;
  const page = PAGES.find((one) => one === query.get('page')) ?? '/';
  try {
    const redirectUri = `${baseUrl}${SIGN_IN}/${id}/callback`;
    const { url, attempt } = await beginCodeFlow(provider, redirectUri);
    const cookie = attemptCookie(placeOf(services, visit), { ...attempt, provider: id, page });
    return leadTo(url, cookie);
  } catch (error) {
    if (toAppError(error).status !== 503) throw error;
    return leadTo(services.config.basePath + page + FAILED);
  }
}

/** Takes the provider's answer, if this browser asked for it, and leads back to the page. */
function comeBack(services: Services, { settings }: OidcProvider, visit: Visit): Reply {
  const { query, request } = visit;
  const { basePath } = services.config;
  const place = placeOf(services, visit);
  const attempt = readAttempt(request, place);
  if (attempt?.provider !== settings.id || attempt.state !== query.get('state'))
    return leadTo(`${basePath}/${FAILED}`);
  const page = basePath + (PAGES.find((one) => one === attempt.page) ?? '/');
  const [code, iss] = [query.get('code'), query.get('iss')];
  const cookie =
    code === null
      ? undefined
      : attemptCookie(place, { ...attempt, code, ...(iss !== null && { iss }) });
  return cookie === undefined
    ? leadTo(page + FAILED, endedAttempt(place))
    : leadTo(page + BACK, cookie);
}

/** Gives the page its session. The code is exchanged only now, so that nothing has to be kept here. */
async function finish(services: Services, visit: Visit): Promise<Reply> {
  const { request, requestId, address, baseUrl } = visit;
  if (!comesFromPage(request, baseUrl))
    throw new ForbiddenError('Only pages of this gateway may do this');
  const limits = await services.callLimits.takeFrom(address, 'signIns');
  const place = placeOf(services, visit);
  const attempt = readAttempt(request, place);
  const provider = attempt && findProvider(services, attempt.provider);
  if (!provider || attempt.code === undefined)
    throw new AppError('E202', { message: 'The sign-in was not completed' });
  const facts = { actor: 'unknown', action: 'signInWithToken', surface: 'REST' } as const;
  const act = startAct({ ...facts, address: address || null, requestId }, services.clock);
  const { token, expiresAt, viewer } = await onRecord(services, act, () =>
    exchange({ ...services, act }, provider, { ...attempt, code: attempt.code ?? '' }),
  );
  const { login } = viewer;
  return {
    status: 200,
    headers: { ...limits, 'set-cookie': endedAttempt(place) },
    body: JSON.stringify({ status: 'OK', token, expires_at: expiresAt.toISOString(), login }),
  };
}

async function exchange(
  services: Parameters<typeof signInWithToken>[0],
  provider: OidcProvider,
  attempt: BrowserAttempt & { code: string },
): Promise<BegunSession> {
  const { code, state, iss } = attempt;
  const answer = { code, state, ...(iss !== undefined && { iss }) };
  const idToken = await finishCodeFlow(services, provider, attempt, answer);
  return signInWithToken(services, { idToken, from: provider });
}

/** Browsers say so with every such request. */
function comesFromPage({ headers }: IncomingMessage, baseUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  const { origin = '' } = headers;
  return (
    (site === undefined || site === 'same-origin') &&
    URL.canParse(origin) &&
    new URL(origin).host === new URL(baseUrl).host
  );
}

function placeOf({ config }: Services, { baseUrl }: Visit): { basePath: string; secure: boolean } {
  return { basePath: config.basePath, secure: baseUrl.startsWith('https:') };
}

function leadTo(location: string, cookie?: string): Reply {
  return {
    status: 303,
    headers: { location, ...(cookie !== undefined && { 'set-cookie': cookie }) },
    body: '',
  };
}
