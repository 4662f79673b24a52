/** Longest wait for an answer, in milliseconds: what takes longer hangs. */
const HANGS = 30_000;

export interface Answer {
  /** 0 when the connection broke before an answer came, -1 when none came in time. */
  status: number;
  json: any;
  retryAfter: string | null;
  headers: Headers;
  ms: number;
}

/** Sends one request; never throws. */
export async function call(
  url: string,
  path: string,
  token: string,
  init: RequestInit = {},
): Promise<Answer> {
  const begun = performance.now();
  const headers = new Headers(init.headers);
  if (token) headers.set('x-service-csrf-token-x', token);
  try {
    const signals = [AbortSignal.timeout(HANGS), ...(init.signal ? [init.signal] : [])];
    const reply = await fetch(url + path, { ...init, headers, signal: AbortSignal.any(signals) });
    const text = await reply.text();
    const isJson = reply.headers.get('content-type')?.includes('json');
    return {
      status: reply.status,
      json: isJson ? JSON.parse(text) : text,
      retryAfter: reply.headers.get('retry-after'),
      headers: reply.headers,
      ms: performance.now() - begun,
    };
  } catch (error) {
    const hangs = error instanceof Error && error.name === 'TimeoutError';
    return {
      status: hangs ? -1 : 0,
      json: null,
      retryAfter: null,
      headers: new Headers(),
      ms: performance.now() - begun,
    };
  }
}

/** Sends a JSON body. */
export function post(
  url: string,
  path: string,
  token: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return call(url, path, token, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** Runs a GraphQL operation; a result that is a union member of an error counts as status 400. */
export async function graphql(
  url: string,
  token: string,
  text: string,
  variables: object = {},
): Promise<Answer> {
  const answer = await post(url, '/graphql', token, { query: text, variables });
  return answer.status === 200 && answer.json.errors
    ? {
        ...answer,
        status: answer.json.errors[0].extensions?.code === 'SERVICE_UNAVAILABLE' ? 503 : 400,
      }
    : answer;
}

/** Uploads an image. */
export function upload(
  url: string,
  token: string,
  datasetId: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Answer> {
  const form = new FormData();
  form.set('DatasetId', datasetId);
  form.set('FileName', 'noise.png');
  form.set('Image', new Blob([bytes]));
  return call(url, '/api/Images/addImage', token, { method: 'POST', body: form });
}
