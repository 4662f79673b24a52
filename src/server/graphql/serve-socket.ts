import { isUtf8 } from 'node:buffer';
import { CloseCode, MessageType, parseMessage, type Server } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { Log } from '../../core/log.ts';

/** Messages whose handling is work of ours: what fails there is no fault of the client. */
const WORK = new Set([MessageType.ConnectionInit, MessageType.Subscribe, MessageType.Complete]);
/** Longest reason of a close frame, in bytes (RFC 6455, 5.5). */
const LONGEST_REASON = 123;

/**
 * Passes the messages of a WebSocket to graphql-ws, as its own adapter for ws does, which prints a stack for any message
 * that can't be handled, also before the client has authenticated.
 */
export function serveSocket<E extends Record<PropertyKey, unknown>>(
  server: Server<E>,
  socket: WebSocket,
  { extra, log }: { extra: E; log: Log },
): void {
  const refuse = (text: string, error: unknown): void => {
    if (!WORK.has(parseMessage(text).type))
      return socket.close(CloseCode.BadRequest, 'Invalid message received');
    log.error({ err: error }, 'WebSocket message failed');
    socket.close(CloseCode.InternalServerError, 'Internal server error');
  };
  const closed = server.opened(
    {
      protocol: socket.protocol,
      send: (data) =>
        new Promise((resolve, reject) => {
          if (socket.readyState !== socket.OPEN) return resolve();
          socket.send(data, (error) => (error ? reject(error) : resolve()));
        }),
      close: (code, reason = '') =>
        socket.close(code, Buffer.byteLength(reason) > LONGEST_REASON ? '' : reason),
      onMessage: (handle) =>
        socket.on('message', (data) => {
          // ws gives a Buffer, unless it was told otherwise. It checks the text of text frames only.
          const bytes = data as Buffer;
          if (!isUtf8(bytes)) return socket.close(CloseCode.BadRequest, 'Invalid message received');
          const text = bytes.toString();
          handle(text).catch((error: unknown) => refuse(text, error));
        }),
    },
    extra,
  );
  socket.once('close', (code, reason) => {
    closed(code, String(reason)).catch((error: unknown) =>
      log.error({ err: error }, 'streams of a closed WebSocket could not be ended'),
    );
  });
}
