import { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Answers malformed or incomplete HTTP requests and closes the connection: it is unclear where a next request would
 * begin. While the reply to an earlier request is being sent, the answer would be read as a part of it.
 */
export function refuseConnection(error: Error & { code?: string }, socket: Duplex): void {
  const reply: unknown = Reflect.get(socket, '_httpMessage');
  const isSending = reply instanceof ServerResponse && reply.headersSent;
  if (!socket.writable || isSending || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, message] = reasonOf(error.code);
  const body = JSON.stringify({ status: 'ER', errorCode: 'E900', response: message });
  socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\nx-error-code: E900\r\nx-content-type-options: nosniff\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
}

function reasonOf(code: string | undefined): [status: string, message: string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return ['431 Request Header Fields Too Large', 'The headers are too long'];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['408 Request Timeout', 'The request did not arrive in time'];
    default:
      return ['400 Bad Request', 'This is not an HTTP request'];
  }
}
