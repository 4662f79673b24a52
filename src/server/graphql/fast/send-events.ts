import type { ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import { cutStalled } from '../../http/send-reply.ts';
import { COMMENT, COMPLETE, EVENT_HEADERS, writeEvent } from './write-result.ts';

/** Interval of the comments that keep a stream open through proxies, in milliseconds. */
const PING_EVERY = 12_000;

/**
 * Sends the results of a subscription as server-sent events (graphql-sse, distinct connections), each when the client
 * has taken those before. Ends the subscription when the client goes, or has taken nothing for `stallMs`.
 */
export async function sendEvents(
  response: ServerResponse,
  subscription: AsyncIterable<ExecutionResult>,
  stallMs: number,
): Promise<void> {
  const results = subscription[Symbol.asyncIterator]();
  const leave = (): void => void results.return?.();
  if (response.destroyed) return leave();
  response.once('close', leave);
  cutStalled(response, stallMs);
  const ping = setInterval(() => {
    if (!response.writableNeedDrain) response.write(COMMENT);
  }, PING_EVERY).unref();
  response.once('close', () => clearInterval(ping));
  response.writeHead(200, EVENT_HEADERS);
  response.write(COMMENT);
  try {
    for (;;) {
      const next = await results.next();
      if (response.destroyed) return;
      if (next.done) break;
      if (!response.write(writeEvent(next.value)))
        await new Promise((resolve) => response.once('drain', resolve));
    }
    response.end(COMPLETE);
  } catch (error) {
    // Half a stream can't become an error: its client comes back.
    response.destroy();
    throw error;
  }
}
