import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf, readAddress } from '../../../core/address.ts';
import type { Config } from '../../../core/context/config.ts';

/** The part of MAX_CONNECTIONS that one address may have. */
const SHARE = 1 / 4;

/** Closes connections of an address that has its share of them already, as they come. The address of a trusted proxy stands for many clients and may have all. */
export function shareConnections(
  server: Server,
  { maxConnections, trusts }: Pick<Config, 'maxConnections' | 'trusts'>,
  onRefused: () => void,
): void {
  const share = Math.ceil(maxConnections * SHARE);
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
