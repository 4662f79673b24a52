import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, Server as NetServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Time for taking those that wait, in milliseconds. */
const TRY_WITHIN = 1_000;

/** The connections of this machine as Linux shows them. */
const CONNECTIONS = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];

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
   * Stops listening when no connection waits to be taken. The system connects clients before the process takes them, and
   * resets those that wait when the listener is closed, although their requests have been sent. So the listener gets room
   * for one that waits, and the gateway connects to itself. Once that connection waits, no other does, and the system
   * lets nobody else in: then the listener is closed. Who asks meanwhile is refused a second later, having sent nothing.
   * Requests are held, so that turns are short and few clients come.
   */
  async stop(server: Server): Promise<void> {
    this.#held = [];
    const end = performance.now() + TRY_WITHIN;
    while (!(await closeBehindOwn(server)) && performance.now() < end) await nextTurn();
    if (server.listening) closeListener(server);
    const held = this.#held;
    this.#held = undefined;
    for (const handle of held) handle();
  }
}

/**
 * Closes the listener if a connection of our own is the only one that waits. Resolves to false, with the listener open,
 * if others wait.
 */
async function closeBehindOwn(server: Server): Promise<boolean> {
  const address = server.address();
  if (typeof address !== 'object' || !address) return true;
  leaveRoomForOne(server);
  // Systems take the wildcard address, where it listens on all, for this machine.
  const own = connect(address.port, address.address).on('error', () => undefined);
  // Connects in this tick; the process takes no connection before the next turn.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  const closes = waitsAlone(address.port, own.localPort);
  if (closes) closeListener(server);
  own.destroy();
  return closes;
}

/** Whether the connection from this port is made, and no other is half made. True where the system does not tell. */
function waitsAlone(port: number, from: number | undefined): boolean {
  if (from === undefined) return false;
  const hex = (value: number): string => value.toString(16).toUpperCase().padStart(4, '0');
  const all = CONNECTIONS.filter(existsSync)
    .map((file) => readFileSync(file, 'latin1'))
    .join('');
  if (all === '') return true;
  const made = new RegExp(`:${hex(from)} \\w+:${hex(port)} 01 `);
  const halfMade = new RegExp(`:${hex(port)} \\w+:\\w+ 03 `);
  return made.test(all) && !halfMade.test(all);
}

/**
 * That of http would close idle connections at once. It comes last, to end the timer of its checks, which would hold
 * the server.
 */
function closeListener(server: Server): void {
  server.once('close', () => server.close());
  NetServer.prototype.close.call(server);
}

/** Listening again sets how many may wait; Node has no name for it. */
function leaveRoomForOne(server: Server): void {
  const handle: unknown = Reflect.get(server, '_handle');
  if (typeof handle !== 'object' || handle === null) return;
  const listen: unknown = Reflect.get(handle, 'listen');
  if (typeof listen === 'function') Reflect.apply(listen, handle, [0]);
}
