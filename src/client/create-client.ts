import { defaultRetry, sleep, waitAfter, type RetryOptions } from './backoff.ts';
import { dataOf, isPassing, ResyncRequiredError, type Answer } from './gateway-error.ts';
import { readEvents } from './read-events.ts';

export type { RetryOptions } from './backoff.ts';
export { GatewayError, ResyncRequiredError, type GatewayFault } from './gateway-error.ts';

/** A document that knows its result and its variables, as the client preset of graphql-codegen makes them with `documentMode: 'string'`. */
export interface TypedDocument<Result, Variables> {
  toString(): string;
  __apiType?: (variables: Variables) => Result;
}

export interface ClientOptions {
  /** URL of the GraphQL endpoint, e.g. http://127.0.0.1:4000/graphql. */
  url: string;
  /** Session token; a function is asked before every request. */
  token?: string | (() => string | undefined);
  fetch?: typeof globalThis.fetch;
  retry?: Partial<RetryOptions>;
  /** A stream in which nothing is heard for so long is taken for broken; the gateway pings every 12 s. 40,000 unless told otherwise. */
  quietMs?: number;
}

export interface RequestOptions {
  signal?: AbortSignal | undefined;
}

interface PageInfo {
  hasNextPage?: boolean;
  endCursor?: string | null;
  hasPreviousPage?: boolean;
  startCursor?: string | null;
}

/** What paging forward needs of a connection. */
export interface ConnectionPage {
  pageInfo: PageInfo & { hasNextPage: boolean };
}

/** What paging backward needs of a connection. */
export interface ConnectionPageBack {
  pageInfo: PageInfo & { hasPreviousPage: boolean };
}

/** What following needs of an event: select `__typename` in all, and `cursor` wherever there is one. */
export interface FollowedEvent {
  __typename: string;
  cursor?: string;
}

/** Events that a caller of `follow` does not see: it resumes by itself, or throws. */
type Control = 'FeedStreamEnded' | 'ResyncRequired';

export interface Client {
  /**
   * Runs a document and returns its data. Throws GatewayError for any error in the answer, and what fetch throws when there is none. Queries, never mutations, are tried again when
   * the connection breaks or the gateway is busy (429, 502–504), after what Retry-After says.
   */
  request<Result, Variables>(document: TypedDocument<Result, Variables>, ...args: ArgumentsOf<Variables>): Promise<Result>;
  /** The pages of a connection, forward from `variables.after`; a page is read when it is asked for. The document passes `$after` to the connection that `select` finds. */
  pages<Result, Variables extends { after?: string | null | undefined }, Page extends ConnectionPage>(
    document: TypedDocument<Result, Variables>,
    variables: Variables,
    select: (result: Result) => Page | null | undefined,
    options?: RequestOptions,
  ): AsyncGenerator<Page, void>;
  /** The pages of a connection, backward from `variables.before` (the end, without it); each page in the order of the list. The document passes `$before` and `$last`. */
  pagesBack<Result, Variables extends { before?: string | null | undefined }, Page extends ConnectionPageBack>(
    document: TypedDocument<Result, Variables>,
    variables: Variables,
    select: (result: Result) => Page | null | undefined,
    options?: RequestOptions,
  ): AsyncGenerator<Page, void>;
  /** The results of a subscription over server-sent events, until the gateway completes it. Throws when the stream breaks. */
  subscribe<Result, Variables>(document: TypedDocument<Result, Variables>, ...args: ArgumentsOf<Variables>): AsyncGenerator<Result, void>;
  /**
   * The events of `feedChanged`, found by `select`, from the position `after` on (`changeCursor` of a list), without end: a stream that breaks or that the gateway ends is resumed behind
   * the last event. An event may come twice, none is left out. Throws ResyncRequiredError when the position is too old, GatewayError when the gateway refuses.
   */
  follow<Result, Variables extends { after?: string | null | undefined }, Event extends FollowedEvent>(
    document: TypedDocument<Result, Variables>,
    variables: Variables & { after: string },
    select: (result: Result) => Event,
    options?: RequestOptions,
  ): AsyncGenerator<Exclude<Event, { __typename: Control }>, void>;
}

/** Variables may be left out when none is required. */
type ArgumentsOf<Variables> = Record<string, never> extends Variables ? [variables?: Variables, options?: RequestOptions | undefined] : [variables: Variables, options?: RequestOptions | undefined];

/** Makes a client of the GraphQL face. */
export function createClient({ url, token, fetch: send = globalThis.fetch, retry: retryOptions, quietMs = 40_000 }: ClientOptions): Client {
  const retry = { ...defaultRetry, ...retryOptions };

  const post = (query: string, variables: unknown, accept: string, signal: AbortSignal | undefined): Promise<Response> => {
    const session = typeof token === 'function' ? token() : token;
    return send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, ...(session && { 'x-service-csrf-token-x': session }) },
      body: JSON.stringify({ query, variables }),
      ...(signal && { signal }),
    });
  };

  const request: Client['request'] = async <Result, Variables>(document: TypedDocument<Result, Variables>, ...[variables, { signal } = {}]: ArgumentsOf<Variables>) => {
    const query = document.toString();
    // Whatever could be a mutation is one: sent once.
    const tries = /\b(mutation|subscription)\b/.test(query) ? 0 : retry.times;
    for (let failures = 0; ; failures++) {
      try {
        const response = await post(query, variables, 'application/graphql-response+json, application/json', signal);
        return dataOf(await answerOf<Result>(response), response.status, response.headers);
      } catch (error) {
        const wait = waitAfter(error, failures, retry);
        if (signal?.aborted || failures >= tries || !isPassing(error) || wait > retry.mostMs) throw error;
        await sleep(wait, signal);
      }
    }
  };

  async function* stream<Result>(query: string, variables: unknown, { signal }: RequestOptions = {}): AsyncGenerator<Result, void> {
    const stop = new AbortController();
    const quiet = (): ReturnType<typeof setTimeout> => setTimeout(() => stop.abort(new TypeError(`nothing was heard for ${quietMs} ms`)), quietMs);
    let timer = quiet();
    try {
      const response = await post(query, variables, 'text/event-stream', signal ? AbortSignal.any([signal, stop.signal]) : stop.signal);
      if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
        dataOf(await answerOf(response), response.status, response.headers);
        throw new TypeError('the answer is no stream of events');
      }
      const heard = (): void => {
        clearTimeout(timer);
        timer = quiet();
      };
      for await (const answer of readEvents<Answer<Result>>(response.body, heard)) yield dataOf(answer, response.status, response.headers);
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
  }

  return {
    request,
    subscribe: <Result, Variables>(document: TypedDocument<Result, Variables>, ...[variables, options]: ArgumentsOf<Variables>) => stream<Result>(document.toString(), variables, options),
    async *pages(document, variables, select, options) {
      for (let after = variables.after; ; ) {
        const page = select(await request(document, { ...variables, after }, options));
        if (!page) return;
        yield page;
        if (!page.pageInfo.hasNextPage || !page.pageInfo.endCursor) return;
        after = page.pageInfo.endCursor;
      }
    },
    async *pagesBack(document, variables, select, options) {
      for (let before = variables.before; ; ) {
        const page = select(await request(document, { ...variables, before }, options));
        if (!page) return;
        yield page;
        if (!page.pageInfo.hasPreviousPage || !page.pageInfo.startCursor) return;
        before = page.pageInfo.startCursor;
      }
    },
    async *follow(document, variables, select, options) {
      let { after } = variables;
      for (let failures = 0; ; failures++) {
        let fault: unknown;
        const results = stream<Parameters<typeof select>[0]>(document.toString(), { ...variables, after }, options);
        try {
          for (;;) {
            const next = await results.next().catch((error: unknown) => {
              if (options?.signal?.aborted || !isPassing(error)) throw error;
              fault = error;
            });
            if (!next || next.done) break;
            failures = 0;
            const event = select(next.value);
            if (event.__typename === 'ResyncRequired') throw new ResyncRequiredError('changes since this position are no longer kept');
            if (isContent(event)) yield event;
            // Behind the yield: what the caller has not taken comes again.
            after = event.cursor ?? after;
          }
        } finally {
          await results.return();
        }
        await sleep(waitAfter(fault, failures, retry), options?.signal);
      }
    },
  };
}

/** The body of an answer; empty when it is not ours. */
function answerOf<Result>(response: Response): Promise<Answer<Result>> {
  return response.json().then((body: Answer<Result> | null) => body ?? {}, () => ({}));
}

function isContent<Event extends FollowedEvent>(event: Event): event is Exclude<Event, { __typename: Control }> {
  return event.__typename !== 'FeedStreamEnded';
}
