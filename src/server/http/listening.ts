import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, Server as NetServer, type DropArgument, type Socket } from 'node:net';

/** Time for taking those that wait, in milliseconds. */
const TRY_WITHIN = 1_000;

/** Time in which a connection to ourselves is taken, unless others wait, in milliseconds. */
const SOON = 20;

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
   * Stops listening when no connection waits to be taken. The system connects clients before the process takes them, in
   * the order in which they came, and resets those that wait when the listener is closed: under load these are many, and
   * their requests have been sent. So the listener gets room for one that waits, and the gateway connects to itself:
   * with that in it, the system lets nobody else in, and as it is taken, the listener is closed. Who asks meanwhile is
   * refused a second later, having sent nothing. Requests are held, so that turns are short and few clients come.
   */
  async stop(server: Server): Promise<void> {
    this.#held = [];
    const end = performance.now() + TRY_WITHIN;
    while (!(await closeBehindOwn(server)))
      if (performance.now() > end) {
        closeListener(server);
        break;
      }
    const held = this.#held;
    this.#held = undefined;
    for (const handle of held) handle();
  }
}

/** Closes the listener when a connection of our own is taken. Resolves to false, with the listener open, if it was not soon: others waited. */
async function closeBehindOwn(server: Server): Promise<boolean> {
  const address = server.address();
  if (typeof address !== 'object' || !address) return true;
  leaveRoomForOne(server);
  let closed = false;
  // Systems take the wildcard address, where it listens on all, for this machine.
  const own = connect(address.port, address.address);
  const ended = new Promise((resolve) => own.once('close', resolve));
  const giveUp = setTimeout(() => own.destroy(), SOON);
  const meet = (port?: number): void => {
    if (port === undefined || port !== own.localPort) return;
    closed = true;
    closeListener(server);
    own.destroy();
  };
  const taken = (socket: Socket): void => meet(socket.remotePort);
  const refused = (data?: DropArgument): void => meet(data?.remotePort);
  server.prependListener('connection', taken).on('drop', refused);
  own.on('error', () => undefined);
  own.resume();
  await ended;
  clearTimeout(giveUp);
  server.off('connection', taken).off('drop', refused);
  return closed;
}

/** That of http would close idle connections at once. */
function closeListener(server: Server): void {
  NetServer.prototype.close.call(server);
}

/** Listening again sets how many may wait; Node has no name for it. */
function leaveRoomForOne(server: Server): void {
  const handle: unknown = Reflect.get(server, '_handle');
  if (typeof handle !== 'object' || handle === null) return;
  const listen: unknown = Reflect.get(handle, 'listen');
  if (typeof listen === 'function') Reflect.apply(listen, handle, [0]);
}
