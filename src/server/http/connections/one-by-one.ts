import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait for those before them, of one connection and of all; a connection that sends one more is cut. */
const MOST = { ofOne: 1_000, ofAll: 10_000 };

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** The requests of one connection that wait until the one in progress, if any, is answered. */
interface Line {
  isBusy: boolean;
  waiting: Parameters<Handle>[];
}

/**
 * Handles the requests of each connection one after the other, although clients may send some before they have the
 * answers to others (RFC 9112, 9.3.2): a read comes after the write before it, and a connection has no more in progress
 * than a client that waits.
 */
export function oneByOne(handle: Handle): Handle {
  const lines = new WeakMap<Socket, Line>();
  let ofAll = 0;
  const begin = (line: Line, request: IncomingMessage, response: ServerResponse): void => {
    line.isBusy = true;
    // A request that was destroyed no longer has it.
    const { socket } = request;
    response.once('close', () => {
      ofAll -= line.waiting.length;
      // After the last reply of a connection, nothing is begun any more.
      if (!socket.writable) line.waiting = [];
      const next = line.waiting.shift();
      ofAll += line.waiting.length;
      line.isBusy = next !== undefined;
      if (next) begin(line, ...next);
    });
    handle(request, response);
  };
  return (request, response) => {
    const { socket } = request;
    let line = lines.get(socket);
    if (!line) lines.set(socket, (line = { isBusy: false, waiting: [] }));
    if (!line.isBusy) return begin(line, request, response);
    if (!socket.writable) return;
    if (line.waiting.length >= MOST.ofOne || ofAll >= MOST.ofAll) return void socket.destroy();
    line.waiting.push([request, response]);
    ofAll++;
  };
}
