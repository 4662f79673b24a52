import { basePath, session } from './session.ts';

/** The gateway refused, or did not answer. */
export class Refusal extends Error {
  /** As in `extensions.code`, or of the result; NO_ANSWER if there was none. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** Codes of a session that is no more. */
const ENDED = ['UNAUTHENTICATED', 'E401'];

const BROKEN = 'The reply of the gateway broke off. Try again.';

interface Answer<Data> {
  data?: Data | null;
  errors?: readonly { message: string; extensions?: { code?: string } }[];
}

/** Runs a GraphQL document with the session. Throws Refusal. */
export async function ask<Data>(
  query: string,
  variables: object,
  signal?: AbortSignal,
): Promise<Data> {
  const response = await send('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
    ...(signal && { signal }),
  });
  const answer = await jsonOf<Answer<Data>>(response, signal);
  const [error] = answer.errors ?? [];
  if (error) throw refused(error.message, error.extensions?.code ?? '');
  if (!answer.data) throw refused(`The gateway answered ${response.status}.`, '');
  return answer.data;
}

/** The result of a mutation, or what it says in its place. */
type Result<Payload> = Payload | { code: string; message: string };

/** Runs a mutation that takes an input and has one result. Throws Refusal. */
export async function change<Payload extends object>(
  mutation: string,
  input: object,
): Promise<Payload> {
  const { result } = await ask<{ result: Result<Payload> }>(mutation, { input });
  if ('code' in result) throw refused(result.message, result.code);
  return result;
}

/** A file of the gateway. Throws Refusal. */
export async function fetchFile(url: string, signal: AbortSignal): Promise<Blob> {
  const { pathname, search } = new URL(url);
  // Only the path: behind a proxy the gateway may have another name than the page.
  const init = { ...common(), headers: session.headers(), signal };
  const response = await heard(fetch(pathname + search, init), signal);
  if (response.status === 401) throw refused('Your session has ended.', 'UNAUTHENTICATED');
  if (!response.ok) throw refused(`The gateway answered ${response.status}.`, '');
  return heard(response.blob(), signal, BROKEN);
}

/** Sends a form with files to a path of REST and returns `data` of the envelope, an id. Throws Refusal. */
export async function sendForm(path: string, form: FormData, signal: AbortSignal): Promise<string> {
  const response = await send(path, { method: 'POST', body: form, signal });
  const answer = await jsonOf<{
    data?: unknown;
    errorMessage?: string;
    errorCodes?: readonly string[];
  }>(response, signal);
  if (typeof answer.data === 'string') return answer.data;
  if (response.status === 401) throw refused('', 'UNAUTHENTICATED');
  const text = answer.errorMessage ?? `The gateway answered ${response.status}.`;
  throw refused(text, answer.errorCodes?.[0] ?? '');
}

/** Is it because the session has ended? */
export function isEnded(error: unknown): boolean {
  return error instanceof Refusal && ENDED.includes(error.code);
}

function refused(message: string, code: string): Refusal {
  return new Refusal(ENDED.includes(code) ? 'Your session has ended.' : message, code);
}

function common(): RequestInit {
  return { credentials: 'omit', referrerPolicy: 'no-referrer' };
}

function send(path: string, init: RequestInit): Promise<Response> {
  const headers = { ...init.headers, ...session.headers() };
  const whole = { ...common(), cache: 'no-store', ...init, headers } as const;
  return heard(fetch(basePath + path, whole), init.signal);
}

/** What a reply has as JSON; empty where it has none. Throws Refusal where it breaks off. */
async function jsonOf<Body extends object>(
  response: Response,
  signal: AbortSignal | undefined,
): Promise<Body | Partial<Body>> {
  const text = await heard(response.text(), signal, BROKEN);
  try {
    return JSON.parse(text) as Body;
  } catch {
    return {};
  }
}

/** What the gateway sends; Refusal where the connection fails. */
function heard<Sent>(
  sending: Promise<Sent>,
  signal: AbortSignal | null | undefined,
  fault = 'The gateway does not answer. Try again.',
): Promise<Sent> {
  return sending.catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new Refusal(fault, 'NO_ANSWER');
  });
}
