import { ServerResponse } from 'node:http';
import { isRecord } from '../../core/json-values.ts';

/** Time for the last event of a stream before it is cut, in milliseconds. */
export const LAST_EVENTS = 250;

/** A WebSocket over which subscriptions are sent. */
export interface Breakable {
  /** Closes the connection, with all that is sent over it, so that its client comes back. */
  breakOff(): void;
}

/**
 * The subscriptions in progress. When the gateway stops, or their reader was too slow, they are cut off, not completed:
 * clients take `complete` for the end of a subscription, but come back after a cut.
 */
export class OpenStreams {
  /** From here on, subscriptions that end are left open until they are cut. */
  stopping = false;
  readonly #replies = new Set<ServerResponse>();

  /** Notes the HTTP reply over which a subscription is sent, unless it is sent over WebSocket; `gone` is called when it closes. */
  add(context: unknown, gone: () => void): void {
    if (!hasReply(context)) return;
    const { res } = context;
    if (res.destroyed) return gone();
    this.#replies.add(res);
    res.once('close', () => {
      this.#replies.delete(res);
      gone();
    });
  }

  /** Ends the connections of all replies in the middle, after what was written to them has been sent. */
  cut(): void {
    for (const { socket } of this.#replies) socket?.destroySoon();
  }

  /** Soon cuts the connection over which one subscription is sent. */
  cutSoon(context: unknown): void {
    setTimeout(() => {
      if (hasReply(context)) context.res.socket?.destroySoon();
      else if (isBreakable(context)) context.breakOff();
    }, LAST_EVENTS).unref();
  }
}

function isBreakable(context: unknown): context is Breakable {
  return isRecord(context) && 'breakOff' in context;
}

/** Whether what has this context is sent over HTTP. */
export function hasReply(context: unknown): context is { res: ServerResponse } {
  return isRecord(context) && context['res'] instanceof ServerResponse;
}
