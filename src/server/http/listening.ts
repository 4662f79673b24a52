import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/** Time for taking the connections that wait, and once more that, if somebody comes in every turn; in milliseconds. */
const TAKE_WITHIN = 1_000;

/** A turn of the event loop in which hardly anybody can have connected, in milliseconds. */
const SHORT = 2;

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** Handles the requests of a server that can stop listening without losing one. */
export class Listening {
  readonly #handle: Handle;
  #held: (() => void)[] | undefined;

  constructor(handle: Handle) {
    this.#handle = handle;
  }

  readonly handle: Handle = (request, response) => {
    if (this.#held) this.#held.push(() => this.#handle(request, response));
    else this.#handle(request, response);
  };

  /**
   * Stops listening once no connection waits to be taken. The system connects clients before the process takes them, one
   * in each turn of the event loop, and resets those that wait when the listener is closed: under load these are many,
   * and their requests have been sent. Requests are held meanwhile, so that the turns are short and few clients come.
   */
  async stop(server: Server): Promise<void> {
    this.#held = [];
    let [taken, turnedAt] = [0, 0];
    const count = (): void => void taken++;
    server.on('connection', count);
    const end = performance.now() + TAKE_WITHIN;
    await setImmediate();
    do {
      [taken, turnedAt] = [0, performance.now()];
      await setImmediate();
      // In a long turn, more may have come after it looked; without short ones, a turn in which nobody came has to do.
    } while (
      performance.now() < end + TAKE_WITHIN &&
      (taken > 0 || (performance.now() - turnedAt > SHORT && performance.now() < end))
    );
    server.off('connection', count);
    // That of http would close idle connections at once.
    NetServer.prototype.close.call(server);
    const held = this.#held;
    this.#held = undefined;
    for (const handle of held) handle();
  }
}
