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
  const answer = (await response.json().catch(() => ({}))) as Answer<Data>;
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
  const response = await fetch(pathname + search, {
    ...common(),
    headers: session.headers(),
    signal,
  });
  if (response.status === 401) throw refused('Your session has ended.', 'UNAUTHENTICATED');
  if (!response.ok) throw refused(`The gateway answered ${response.status}.`, '');
  return response.blob();
}

/** Sends a form with files to a path of REST and returns `data` of the envelope, an id. Throws Refusal. */
export async function sendForm(path: string, form: FormData, signal: AbortSignal): Promise<string> {
  const response = await send(path, { method: 'POST', body: form, signal });
  const answer = (await response.json().catch(() => ({}))) as {
    data?: unknown;
    errorMessage?: string;
    errorCodes?: readonly string[];
  };
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
  return fetch(basePath + path, { ...common(), cache: 'no-store', ...init, headers }).catch(
    (error: unknown) => {
      if (init.signal?.aborted) throw error;
      throw new Refusal('The gateway does not answer. Try again.', 'NO_ANSWER');
    },
  );
}
