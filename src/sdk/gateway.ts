/** Address of the gateway, and the caller's session. */
export interface Gateway {
  /** Such as `https://gateway.example`, with the base path if there is one. */
  baseUrl: string;
  /** A session token. */
  token: string;
  /** Another implementation than the global one. */
  fetch?: typeof fetch;
}

/** The gateway refused, or gave no whole answer; contains the codes of the envelope or of the GraphQL error. */
export class GatewayError extends Error {
  override name = 'GatewayError';
  readonly codes: string[];

  constructor(message: string, codes: string[]) {
    super(message);
    this.codes = codes;
  }
}

/** Sends a request with the session token. */
export function send(gateway: Gateway, path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${gateway.token}`);
  return (gateway.fetch ?? fetch)(gateway.baseUrl.replace(/(?<!\/)\/+$/, '') + path, {
    ...init,
    headers,
  });
}

/** Sends a REST request and takes `data` out of the envelope; throws GatewayError for a failure. */
export async function sendForData(
  gateway: Gateway,
  path: string,
  init: RequestInit,
): Promise<unknown> {
  const response = await send(gateway, path, init);
  const envelope = await jsonOf(response);
  if (isEnvelope(envelope) && envelope.isSuccess === true) return envelope.data;
  throw failureOf(response, envelope);
}

/** What a reply has as JSON, undefined where it has none. Throws GatewayError where it breaks off. */
export async function jsonOf(response: Response): Promise<unknown> {
  const text = await unbroken(response.text());
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The body of a reply, as it is read. Throws GatewayError where it breaks off. */
export async function unbroken<Body>(reading: Promise<Body>): Promise<Body> {
  return reading.catch((error: unknown) => {
    // What the caller aborts throws its reason.
    throw error instanceof TypeError
      ? new GatewayError('the reply of the gateway broke off', [])
      : error;
  });
}

/** The error for a failed reply. */
export function failureOf(response: Response, envelope: unknown): GatewayError {
  if (!isEnvelope(envelope)) return new GatewayError(`the gateway answered ${response.status}`, []);
  const codes = Array.isArray(envelope.errorCodes)
    ? envelope.errorCodes.filter((code) => typeof code === 'string')
    : [];
  return new GatewayError(
    typeof envelope.errorMessage === 'string'
      ? envelope.errorMessage
      : `the gateway answered ${response.status}`,
    codes,
  );
}

function isEnvelope(
  value: unknown,
): value is { data: unknown; isSuccess: unknown; errorMessage: unknown; errorCodes: unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'isSuccess' in value &&
    'data' in value &&
    'errorMessage' in value &&
    'errorCodes' in value
  );
}
