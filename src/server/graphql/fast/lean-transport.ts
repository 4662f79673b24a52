import type { IncomingMessage } from 'node:http';
import type { ExecutionResult } from 'graphql';
import { isAsyncIterable, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import type { Context } from '../../../core/context/context.ts';
import type { EventStream } from '../../../core/streams/event-stream.ts';
import { JsonFragments } from '../../../core/json/json.ts';
import type { Reply } from '../../../core/rest/route.ts';
import type { AcceptedTypes } from '../../http/accepted-types.ts';
import type { RepeatedOperations } from './repeated-operations.ts';
import { LeanResponse, writeResult } from './write-result.ts';

// Runs Yoga's pipeline directly on node:http: the same hooks, parsers and status rules, without the fetch classes,
// which alone cost as much as a small query. Requests other than JSON by POST (GET, multipart, encoded bodies) use
// Yoga's own adapter.

/** The body of a request that `isLean` accepts, and what its client accepts. */
interface LeanBody {
  accepted: AcceptedTypes;
  body: string;
}

/** The members of a Request that Yoga's pipeline reads. */
class LeanRequest {
  readonly method = 'POST';
  readonly url: string;
  readonly accepted: AcceptedTypes;
  readonly headers: { get(name: string): string | null };
  /** Passed here and not as Yoga's server context, which Yoga would wrap in a proxy. */
  readonly context: Context;
  /** Of a subscription. */
  source: EventStream<unknown> | undefined;
  #body: string | undefined;
  #json: unknown;

  constructor(request: IncomingMessage, { accepted, body }: LeanBody, context: Context) {
    this.context = context;
    this.url = request.url ?? '/';
    this.accepted = accepted;
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
    if (this.#body !== undefined) {
      this.#json = JSON.parse(this.#body);
      // A subscription keeps its request for as long as it lasts.
      this.#body = undefined;
    }
    return this.#json;
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

/** A subscription that has begun. */
export class Subscribed {
  readonly results: AsyncIterable<ExecutionResult>;
  /** What its results are made from. */
  readonly source: EventStream<unknown> | undefined;

  constructor(results: AsyncIterable<ExecutionResult>, { source }: LeanRequest) {
    this.results = results;
    this.source = source;
  }
}

/** Can the request be handled here? */
export function isLean({ method, headers }: IncomingMessage, accepted: AcceptedTypes): boolean {
  return (
    method === 'POST' &&
    headers['content-encoding'] === undefined &&
    /^application\/json(;|$)/i.test(headers['content-type'] ?? '') &&
    (accepted.result !== undefined || accepted.events || accepted.lines)
  );
}

/** The context of a request handled here; other requests pass theirs as server context. */
export function leanContext({ request }: { request: unknown }): Partial<Context> {
  return request instanceof LeanRequest ? request.context : {};
}

/** Notes on a request handled here what the results of its subscription are made from. */
export function noteSource(context: unknown, source: EventStream<unknown>): void {
  const { request } = context as { request?: unknown };
  if (request instanceof LeanRequest) request.source = source;
}

/** Writes the results of these requests, but leaves those of subscriptions to `sendEvents`. */
export function useLeanResponses(): Plugin<Context> {
  return {
    onResultProcess(event) {
      const lean: unknown = event.request;
      if (!(lean instanceof LeanRequest)) return;
      const process = (result: unknown): Subscribed | LeanResponse =>
        isAsyncIterable<ExecutionResult>(result)
          ? new Subscribed(result, lean)
          : writeResult(result, lean.accepted.result);
      // Only `answerLean` gets what this returns.
      event.setResultProcessor(process as never, '');
    },
  };
}

interface Server {
  yoga: YogaServerInstance<Partial<Context>, Partial<Context>>;
  repeated: RepeatedOperations | undefined;
}

/**
 * Answers a GraphQL request that `isLean` accepts, in a context that collects fragments: by Yoga's pipeline, unless its
 * text came before.
 */
export async function answerLean(
  { yoga, repeated }: Server,
  request: IncomingMessage,
  body: LeanBody,
  contextWith: (fragments: JsonFragments) => Promise<Context>,
): Promise<Reply | Subscribed> {
  const fragments = new JsonFragments();
  const context = await contextWith(fragments);
  const lean = new LeanRequest(request, body, context);
  const mediaType = body.accepted.result;
  // No server context: `leanContext` provides it.
  const handle: (request: never) => unknown = yoga.handleRequest.bind(yoga) as never;
  const answer =
    (mediaType !== undefined && (await repeated?.answer(lean.read(), context, mediaType))) ||
    (await handle(lean as never));
  if (answer instanceof Subscribed) return answer;
  if (!(answer instanceof LeanResponse))
    throw new Error('Yoga did not answer a request of the lean transport with its result');
  return { status: answer.status, headers: answer.headers, body: fragments.join(answer.text) };
}
