export interface GatewayFault {
  message: string;
  /** Stable machine code, e.g. UNAUTHENTICATED. */
  code: string;
  /** Code of the REST surface, e.g. E202. */
  legacyCode: string | undefined;
  path: readonly (string | number)[] | undefined;
}

/** The gateway refused a request, wholly or in part; `code` and `legacyCode` are those of the first error. */
export class GatewayError extends Error {
  override name = 'GatewayError';
  /** HTTP status. */
  readonly status: number;
  readonly faults: readonly GatewayFault[];
  readonly code: string;
  readonly legacyCode: string | undefined;
  /** The Retry-After of the reply, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, faults: readonly GatewayFault[], retryAfterMs?: number) {
    super(faults[0]?.message ?? `HTTP ${status}`);
    this.status = status;
    this.faults = faults;
    this.code = faults[0]?.code ?? `HTTP_${status}`;
    this.legacyCode = faults[0]?.legacyCode;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Following from this position could miss changes: load the list again, and follow from its `changeCursor`. */
export class ResyncRequiredError extends Error {
  override name = 'ResyncRequiredError';
  readonly code = 'RESYNC_REQUIRED';
}

/** A GraphQL response, or the error body of a request that was refused before. */
export interface Answer<Result> {
  data?: Result | null;
  errors?: {
    message: string;
    path?: (string | number)[];
    extensions?: { code?: string; legacyCode?: string };
  }[];
  errorCode?: string;
  response?: string;
}

/** The data of a response. Throws GatewayError if it has any error. */
export function dataOf<Result>(answer: Answer<Result>, status: number, headers?: Headers): Result {
  if (answer.data == null || answer.errors)
    throw new GatewayError(status, faultsOf(answer), retryAfterMs(headers?.get('retry-after')));
  return answer.data;
}

/**
 * Whether the same request may succeed a little later: the connection broke, or the gateway is busy, stopping or not
 * reachable by its proxy.
 */
export function isPassing(error: unknown): boolean {
  return (
    !(error instanceof GatewayError) ||
    error.status === 429 ||
    error.status >= 502 ||
    error.code === 'RATE_LIMITED' ||
    error.code === 'SERVICE_UNAVAILABLE'
  );
}

/** Whether no gateway answered: the connection broke or was refused, or a proxy says so. */
export function isAway(error: unknown): boolean {
  return !(error instanceof GatewayError) || (error.status >= 502 && error.faults.length === 0);
}

function faultsOf({ errors, errorCode, response }: Answer<unknown>): GatewayFault[] {
  if (!errors)
    return errorCode === undefined
      ? []
      : [
          {
            message: response ?? errorCode,
            code: errorCode,
            legacyCode: errorCode,
            path: undefined,
          },
        ];
  return errors.map(({ message, path, extensions }) => ({
    message,
    path,
    code: extensions?.code ?? 'UNKNOWN',
    legacyCode: extensions?.legacyCode,
  }));
}

/** Seconds or a date (RFC 9110). */
function retryAfterMs(value: string | null | undefined): number | undefined {
  if (value == null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
