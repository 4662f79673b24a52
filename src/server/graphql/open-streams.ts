import { ServerResponse } from 'node:http';

/**
 * The subscriptions in progress. When the gateway stops they are cut off, not completed: clients take `complete` for the
 * end of a subscription, but come back after a cut.
 */
export class OpenStreams {
  /** From here on, subscriptions that end are left open until they are cut. */
  stopping = false;
  readonly #replies = new Set<ServerResponse>();

  /** Notes the HTTP reply over which a subscription is sent; false if it is sent over WebSocket. */
  add(context: unknown): boolean {
    if (!hasReply(context)) return false;
    const { res } = context;
    this.#replies.add(res);
    res.once('close', () => this.#replies.delete(res));
    return true;
  }

  /** Ends the connections of all replies in the middle, after what was written to them has been sent. */
  cut(): void {
    for (const { socket } of this.#replies) socket?.destroySoon();
  }
}

function hasReply(context: unknown): context is { res: ServerResponse } {
  return (
    typeof context === 'object' &&
    context !== null &&
    'res' in context &&
    context.res instanceof ServerResponse
  );
}
