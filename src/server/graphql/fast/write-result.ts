import type { ExecutionResult } from 'graphql';
import { processRegularResult } from 'graphql-yoga';
import type { AcceptedTypes } from '../../http/accepted-types.ts';

/** Headers of a stream of events, as Yoga's. Proxies that compress would hold events back. */
export const EVENT_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'content-encoding': 'none',
};

/** A comment: it begins a stream, since some clients wait for the first byte, and keeps it open. */
export const COMMENT = ':\n\n';
/** The last event of a subscription that has ended (graphql-sse). */
export const COMPLETE = 'event: complete\ndata:\n\n';

/** The members of a Response that Yoga's result processor needs. */
export class LeanResponse {
  readonly text: string;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(text: string, init: { status: number; headers: Record<string, string> }) {
    this.text = text;
    this.status = init.status;
    this.headers = init.headers;
  }
}

/** Yoga's own result processor: of the fetch API, it only uses the Response class. */
const process = processRegularResult as unknown as (
  result: unknown,
  api: { Response: typeof LeanResponse },
  mediaType: string,
) => LeanResponse;

/** The result as Yoga writes it: as JSON or, where that isn't accepted, as the only event of a stream. */
export function writeResult(result: unknown, mediaType: AcceptedTypes['result']): LeanResponse {
  if (mediaType !== undefined) return process(result, { Response: LeanResponse }, mediaType);
  const { text, status, headers } = writeResult(result, 'application/json');
  return new LeanResponse(`${COMMENT}event: next\ndata: ${text}\n\n${COMPLETE}`, {
    status,
    headers: { ...headers, ...EVENT_HEADERS },
  });
}

/** A result as an event of a stream. */
export function writeEvent(result: ExecutionResult): string {
  const text = result.errors
    ? writeResult(result, 'application/json').text
    : JSON.stringify(result);
  return `event: next\ndata: ${text}\n\n`;
}
