import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Lets a server take the upgrades that are `ours`, and answer all other requests as if they had not asked (RFC 9110, 7.8): clients of HTTP/2 ask for `h2c` by
 * default. Node hands over the connection of each request that asks; those are given back to it without the question. (Its `shouldUpgradeCallback`, in 22.21 and
 * 24.9, loses what comes behind such a request on the same connection.)
 */
export function takeUpgrades(
  server: Server,
  isOurs: (request: IncomingMessage) => boolean,
  take: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isOurs(request)) return take(request, socket, head);
    const giveBack = (): void => {
      if (socket.destroyed) return;
      socket.off('error', ignore);
      socket.unshift(Buffer.concat([headWithoutUpgrade(request), head]));
      server.emit('connection', socket);
    };
    const ignore = (): void => void socket.destroy();
    socket.on('error', ignore);
    whenAnswered(socket, giveBack);
  });
}

/** Waits for the answers to what was sent on the connection before. */
function whenAnswered(socket: Duplex, then: () => void): void {
  const under: unknown = Reflect.get(socket, '_httpMessage');
  if (under instanceof ServerResponse) under.once('close', () => whenAnswered(socket, then));
  else then();
}

/** The head of a request as it came, but for what asks for another protocol; no longer than it was. */
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
