import { EventEmitter } from 'node:events';
import type pg from 'pg';

/** PostgreSQL's code for a write on a server that takes none. */
const READ_ONLY = '25006';

/**
 * Drops the connections of a pool once a write was refused as read-only: after a failover they lead to the server that
 * was the primary, and reads there would be answered with what it last knew. Those in use are dropped when they come back.
 */
export function leaveDemotedServer(pool: pg.Pool): pg.Pool {
  const all = new Set<pg.PoolClient>();
  const busy = new WeakSet<pg.PoolClient>();
  const left = new WeakSet<pg.PoolClient>();
  const leave = (): void => {
    for (const client of all) {
      left.add(client);
      // The pool drops an idle connection that reports an error.
      if (!busy.has(client)) client.emit('error', new Error('The server takes no writes any more'));
    }
  };
  return pool
    .on('connect', (client) => {
      all.add(client);
      const connection: unknown = Reflect.get(client, 'connection');
      if (!(connection instanceof EventEmitter)) return;
      connection.on('errorMessage', ({ code }: { code?: string }) => {
        if (code === READ_ONLY && !left.has(client)) leave();
      });
    })
    .on('acquire', (client) => void busy.add(client))
    .on('release', (_error, client) => {
      busy.delete(client);
      // One that has been ended is not kept.
      if (left.has(client)) void (client as unknown as pg.Client).end().catch(() => undefined);
    })
    .on('remove', (client) => {
      all.delete(client);
      busy.delete(client);
    });
}
