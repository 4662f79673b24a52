import type { ServerResponse } from 'node:http';
import { cutStalled } from '../../http/send-reply.ts';
import { countSent, LARGE } from '../../http/answers-sent.ts';
import type { Subscribed } from './lean-transport.ts';
import { COMMENT, COMPLETE, EVENT_HEADERS, writeEvent } from './write-result.ts';

/** Interval of the comments that keep a stream open through proxies, in milliseconds. */
const PING_EVERY = 12_000;

/**
 * Sends the results of a subscription as server-sent events (graphql-sse, distinct connections), each when the client
 * has taken those before. Cuts off a client that has taken nothing for `stallMs`.
 */
export async function sendEvents(
  response: ServerResponse,
  subscription: Subscribed,
  stallMs: number,
): Promise<void> {
  // Its time may be up, or its client gone.
  if (response.headersSent || response.destroyed) return;
  const results = subscription.results[Symbol.asyncIterator]();
  const ping = setInterval(() => {
    if (!response.writableEnded && !response.writableNeedDrain) response.write(COMMENT);
  }, PING_EVERY).unref();
  response.once('close', () => clearInterval(ping));
  cutStalled(response, stallMs);
  try {
    response.writeHead(200, EVENT_HEADERS);
    response.write(COMMENT);
    await new Promise<void>((resolve, reject) => {
      const send = (): void => void sendReady().catch(reject);
      const sendReady = async (): Promise<void> => {
        while (subscription.source?.isReady(send) ?? true) {
          const next = await results.next();
          if (response.destroyed) return resolve();
          if (next.done) {
            response.end(COMPLETE);
            return resolve();
          }
          const event = writeEvent(next.value);
          if (response.write(event)) continue;
          let taken = false;
          if (event.length > LARGE) countSent(event.length, () => taken || response.destroyed);
          await new Promise((drained) => response.once('drain', drained));
          taken = true;
        }
      };
      send();
    });
  } catch (error) {
    // Half a stream can't become an error: its client comes back.
    response.destroy();
    throw error;
  }
}
