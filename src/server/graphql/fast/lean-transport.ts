import type { IncomingMessage } from 'node:http';
import type { Plugin, YogaServerInstance } from 'graphql-yoga';
import type { Context } from '../../../core/context/context.ts';
import { JsonFragments } from '../../../core/json/json.ts';
import type { Reply } from '../../http/send-reply.ts';
import type { RepeatedQueries } from './repeated-queries.ts';

// Runs Yoga's pipeline directly on node:http: the same hooks, parsers and status rules, without the fetch classes,
// which alone cost as much as a small query. Requests other than plain JSON in and out (GET, multipart, event streams,
// encoded bodies) use Yoga's own adapter.

/** The body of a request that `leanMediaType` accepts, and the media type of the reply. */
interface LeanBody {
  mediaType: string;
  body: Buffer;
}

/** The members of a Request that Yoga's pipeline reads. */
class LeanRequest {
  readonly method = 'POST';
  readonly url: string;
  readonly mediaType: string;
  readonly headers: { get(name: string): string | null };
  /** Passed here and not as Yoga's server context, which Yoga would wrap in a proxy. */
  readonly context: Context;
  readonly #body: Buffer;
  #json: unknown;

  constructor(request: IncomingMessage, { mediaType, body }: LeanBody, context: Context) {
    this.context = context;
    this.url = request.url ?? '/';
    this.mediaType = mediaType;
    this.#body = body;
    const { headers } = request;
    this.headers = {
      get: (name) => {
        const value = headers[name];
        return value === undefined ? null : String(value);
      },
    };
  }

  json(): unknown {
    return (this.#json ??= JSON.parse(this.#body.toString('utf8')));
  }

  /** The JSON; undefined if it is broken. */
  read(): unknown {
    try {
      return this.json();
    } catch {
      return undefined;
    }
  }
}

/** The members of a Response that Yoga's result processor needs. */
class LeanResponse {
  readonly text: string;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(text: string, init: { status: number; headers: Record<string, string> }) {
    this.text = text;
    this.status = init.status;
    this.headers = init.headers;
  }
}

/** The media type of the reply if the request can be handled here, else undefined. */
export function leanMediaType({ method, headers }: IncomingMessage): string | undefined {
  if (
    method !== 'POST' ||
    headers['content-encoding'] !== undefined ||
    !/^application\/json(;|$)/i.test(headers['content-type'] ?? '')
  )
    return undefined;
  switch (headers.accept) {
    case undefined:
    case '*/*':
    case 'application/json':
    case 'application/json, */*':
    case 'application/json, text/plain, */*':
      return 'application/json';
    case 'application/graphql-response+json':
    case 'application/graphql-response+json, application/json':
    case 'application/graphql-response+json,application/json;q=0.9':
      return 'application/graphql-response+json';
    default:
      return undefined;
  }
}

/** The context of a request handled here; other requests pass theirs as server context. */
export function leanContext({ request }: { request: unknown }): Partial<Context> {
  return request instanceof LeanRequest ? request.context : {};
}

/** Lets Yoga's own result processor write the results of these requests. */
export function useLeanResponses(): Plugin<Context> {
  return {
    onResultProcess(event) {
      const { resultProcessor } = event;
      const lean: unknown = event.request;
      if (!(lean instanceof LeanRequest) || !resultProcessor) return;
      const { mediaType } = lean;
      // Of the fetch API, the processor only uses the Response class.
      event.setResultProcessor(
        (result, fetchAPI) =>
          resultProcessor(
            result,
            Object.assign(Object.create(fetchAPI) as typeof fetchAPI, { Response: LeanResponse }),
            mediaType,
          ),
        mediaType,
      );
    },
  };
}

interface Server {
  yoga: YogaServerInstance<Partial<Context>, Partial<Context>>;
  repeated: RepeatedQueries | undefined;
}

/**
 * Answers a GraphQL request that `leanMediaType` accepts, in a context that collects fragments: by Yoga's pipeline,
 * unless its query came before.
 */
export async function answerLean(
  { yoga, repeated }: Server,
  request: IncomingMessage,
  body: LeanBody,
  contextWith: (fragments: JsonFragments) => Promise<Context>,
): Promise<Reply> {
  const fragments = new JsonFragments();
  const context = await contextWith(fragments);
  const lean = new LeanRequest(request, body, context);
  const text = await repeated?.answer(lean.read(), context);
  if (text !== undefined) {
    const headers = { 'content-type': `${body.mediaType}; charset=utf-8` };
    return { status: 200, headers, body: fragments.join(text) };
  }
  // No server context: `leanContext` provides it.
  const handle: (request: never) => unknown = yoga.handleRequest.bind(yoga) as never;
  const answer = await handle(lean as never);
  if (!(answer instanceof LeanResponse))
    throw new Error('Yoga did not answer a request of the lean transport with its result');
  return { status: answer.status, headers: answer.headers, body: fragments.join(answer.text) };
}
