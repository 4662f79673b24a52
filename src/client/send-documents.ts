import { longestTimer, sleep, waitAfter, type RetryOptions } from './backoff.ts';
import { dataOf, isPassing, type Answer } from './gateway-error.ts';
import { readEvents } from './read-events.ts';

/**
 * A document that carries the types of its result and variables, as graphql-codegen's client preset generates with
 * `documentMode: 'string'`.
 */
export interface TypedDocument<Result, Variables> {
  toString(): string;
  __apiType?: (variables: Variables) => Result;
}

export interface RequestOptions {
  signal?: AbortSignal | undefined;
}

/** Variables may be omitted when none is required. */
type ArgumentsOf<Variables> =
  Record<string, never> extends Variables
    ? [variables?: Variables, options?: RequestOptions | undefined]
    : [variables: Variables, options?: RequestOptions | undefined];

export interface Sending {
  /**
   * Runs a document and returns its data. Throws GatewayError for any error in the response, and the error of fetch
   * when there is no response. Queries, never mutations, are retried when the connection breaks or the gateway is busy
   * (429, 502–504), after the time in Retry-After.
   */
  request: <Result, Variables>(
    document: TypedDocument<Result, Variables>,
    ...args: ArgumentsOf<Variables>
  ) => Promise<Result>;
  /** The results of a subscription over server-sent events, until the gateway completes it. Throws when the stream breaks. */
  subscribe: <Result, Variables>(
    document: TypedDocument<Result, Variables>,
    ...args: ArgumentsOf<Variables>
  ) => AsyncGenerator<Result, void>;
}

export interface SendOptions {
  url: string;
  token: string | (() => string | undefined) | undefined;
  fetch: typeof globalThis.fetch;
  retry: RetryOptions;
  quietMs: number;
}

/** Makes the functions that send documents and read the replies. */
export function createSending({ url, token, fetch: send, retry, quietMs }: SendOptions): Sending {
  const post = (
    query: string,
    variables: unknown,
    accept: string,
    signal: AbortSignal | undefined,
  ): Promise<Response> => {
    const session = typeof token === 'function' ? token() : token;
    return send(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept,
        ...(session && { 'x-service-csrf-token-x': session }),
      },
      body: JSON.stringify({ query, variables }),
      ...(signal && { signal }),
    });
  };

  return {
    async request<Result, Variables>(
      document: TypedDocument<Result, Variables>,
      ...[variables, { signal } = {}]: ArgumentsOf<Variables>
    ) {
      const query = document.toString();
      // Anything that could be a mutation is treated as one: sent once.
      const tries = /\b(mutation|subscription)\b/.test(query) ? 0 : retry.times;
      for (let failures = 0; ; failures++) {
        try {
          const response = await post(
            query,
            variables,
            'application/graphql-response+json, application/json',
            signal,
          );
          return dataOf(await answerOf<Result>(response), response.status, response.headers);
        } catch (error) {
          const wait = waitAfter(error, failures, retry);
          if (signal?.aborted || failures >= tries || !isPassing(error) || wait > retry.mostMs)
            throw error;
          await sleep(wait, signal);
        }
      }
    },
    async *subscribe<Result, Variables>(
      document: TypedDocument<Result, Variables>,
      ...[variables, { signal } = {}]: ArgumentsOf<Variables>
    ) {
      const stop = new AbortController();
      const quiet = (): ReturnType<typeof setTimeout> =>
        setTimeout(
          () => stop.abort(new TypeError(`the connection was silent for ${quietMs} ms`)),
          Math.min(quietMs, longestTimer),
        );
      let timer = quiet();
      try {
        const response = await post(
          document.toString(),
          variables,
          'text/event-stream',
          signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
        );
        if (
          !response.body ||
          !response.headers.get('content-type')?.startsWith('text/event-stream')
        ) {
          dataOf(await answerOf(response), response.status, response.headers);
          throw new TypeError('the reply is not an event stream');
        }
        const heard = (): void => {
          clearTimeout(timer);
          timer = quiet();
        };
        for await (const answer of readEvents<Answer<Result>>(response.body, heard)) {
          // While the caller works on it, nobody listens.
          clearTimeout(timer);
          yield dataOf(answer, response.status, response.headers);
          heard();
        }
      } finally {
        clearTimeout(timer);
        stop.abort();
      }
    },
  };
}

/** The body of a reply; empty when it does not come from the gateway. Throws a TypeError, as fetch does, when it breaks off. */
async function answerOf<Result>(response: Response): Promise<Answer<Result>> {
  const text = await response.text().catch((error: unknown) => {
    throw error instanceof TypeError
      ? new TypeError('the reply broke off', { cause: error })
      : error;
  });
  try {
    return (JSON.parse(text) as Answer<Result> | null) ?? {};
  } catch {
    return {};
  }
}
