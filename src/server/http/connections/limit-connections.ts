import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf, readAddress } from '../../../core/address.ts';
import { fileLimit } from '../../../core/files/file-limit.ts';
import type { Config } from '../../../core/context/config.ts';
import type { Log } from '../../../core/log.ts';

/** The part of MAX_CONNECTIONS that one address may have. */
const SHARE = 1 / 4;

/** The part of the files that the process may open that connections may take: an upload has a connection and a file. */
const FILES = 1 / 2;

/**
 * Closes connections beyond MAX_CONNECTIONS as they come, or beyond half of the files that the process may open: without
 * files left, uploads and the embedded database fail. An address may have a quarter of them; that of a trusted proxy
 * stands for many clients and may have all.
 */
export function limitConnections(
  server: Server,
  { maxConnections, trusts }: Pick<Config, 'maxConnections' | 'trusts'>,
  log: Log,
  onRefused: () => void,
): void {
  const files = fileLimit();
  const limit = Math.min(maxConnections, Math.floor(files * FILES));
  if (limit < maxConnections)
    log.warn(
      { limit },
      `fewer connections than MAX_CONNECTIONS: the process may open ${files} files only (ulimit -n)`,
    );
  server.maxConnections = limit;
  const share = Math.ceil(limit * SHARE);
  const held = new Map<string, number>();
  // A connection comes again when it is given back after an upgrade that was not taken.
  const known = new WeakSet<Socket>();
  server.on('connection', (socket) => {
    if (known.has(socket)) return;
    known.add(socket);
    const peer = readAddress(socket.remoteAddress ?? '') ?? '';
    if (trusts?.(peer)) return;
    const address = networkOf(peer);
    const others = held.get(address) ?? 0;
    if (others >= share) {
      socket.destroy();
      onRefused();
      return;
    }
    held.set(address, others + 1);
    socket.once('close', () => {
      const left = (held.get(address) ?? 1) - 1;
      if (left > 0) held.set(address, left);
      else held.delete(address);
    });
  });
  server.on('drop', onRefused);
}
