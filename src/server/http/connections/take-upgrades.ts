import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** From Node 25 on, the body of a request that asks for another protocol is no longer left on the detached connection. */
const TAKES_BODIES = Number.parseInt(process.versions.node) >= 25;

/**
 * Lets a server accept the upgrades that `isOurs` selects, and answer all other requests as if they had not asked for
 * one (RFC 9110, 7.8): clients with HTTP/2 support ask for `h2c` by default. Node detaches the connection of each such
 * request; the others are given back to the server without the Upgrade header.
 */
export function takeUpgrades(
  server: Server,
  isOurs: (request: IncomingMessage) => boolean,
  take: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): void {
  if (TAKES_BODIES) answerBodies(server, isOurs);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const ignore = (): void => void socket.destroy();
    socket.on('error', ignore);
    whenAnswered(socket, () => {
      if (socket.destroyed) return;
      socket.off('error', ignore);
      if (isOurs(request)) return take(request, socket, head);
      socket.unshift(Buffer.concat([headWithoutUpgrade(request), head]));
      server.emit('connection', socket);
    });
  });
}

/**
 * Leaves requests with a body where they are. Node then loses what has come behind them on the connection, which
 * therefore ends with their answer.
 */
function answerBodies(server: Server, isOurs: (request: IncomingMessage) => boolean): void {
  const stays = (request: IncomingMessage): boolean => hasBody(request) && !isOurs(request);
  Object.assign(server, { shouldUpgradeCallback: (request: IncomingMessage) => !stays(request) });
  server.prependListener('request', (request, response) => {
    if (request.headers.upgrade !== undefined && stays(request)) response.shouldKeepAlive = false;
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Waits for the replies to earlier requests on the connection. */
function whenAnswered(socket: Duplex, then: () => void): void {
  const under: unknown = Reflect.get(socket, '_httpMessage');
  if (under instanceof ServerResponse) under.once('close', () => whenAnswered(socket, then));
  else then();
}

/** The head of a request without the Upgrade headers; never longer than the original. */
function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method ?? 'GET'} ${url ?? '/'} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    switch (name.toLowerCase()) {
      case 'upgrade':
      case 'http2-settings':
        break;
      case 'connection': {
        const kept = value
          .split(',')
          .filter((option) => !/^(upgrade|http2-settings)$/i.test(option.trim()));
        if (kept.length > 0) lines.push(`${name}:${kept.join(',')}`);
        break;
      }
      default:
        lines.push(`${name}:${value}`);
    }
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
