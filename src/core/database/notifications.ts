import { EventEmitter } from 'node:events';
import pg from 'pg';
import { mayTell } from '../sql/may-tell.ts';

/** Longest pause between attempts to connect again, in milliseconds. */
const MAX_PAUSE = 2_000;
/** A connection that answers nothing for this long is given up, in milliseconds. */
const PATIENCE = 5_000;

/** Called with the text of a notification, which may be empty, and without one when some may have been missed. */
export type Wake = (text?: string) => void;

/** Stops listening. */
export type StopListening = () => Promise<void>;

/** What transactions tell when they commit (NOTIFY). */
export interface Notifications {
  /**
   * Calls `wake` for every notification on a channel, and without a text when the connection is lost or made again. On a
   * connection that is there it begins with an empty text. Returns at once.
   */
  listen: (channel: string, wake: Wake) => StopListening;
  /**
   * Resolves when `wake` was called for all transactions whose commit was answered before this call. Rejects when nobody
   * can tell: without a connection, behind a pooler, and on an embedded database.
   */
  confirm: () => Promise<void>;
  /**
   * Calls `wrote` whenever a statement or a transaction of this process may have changed something that is told. Feeds
   * and their parts, tasks and entries of logs are not: see mayTell.
   */
  onWrite: (wrote: () => void) => void;
  /** Stops listening to everything. */
  close: () => Promise<void>;
}

/** Notifications of a server, over one connection of their own, which is opened again when it is lost. */
export class ServerNotifications implements Notifications {
  readonly #url: string;
  readonly #wakes = new Map<string, Wake>();
  #client: pg.Client | undefined;
  #listening = false;
  #timer: NodeJS.Timeout | undefined;
  #pause = 100;
  readonly #wrote: (() => void)[] = [];

  constructor(url: string, pool: pg.Pool) {
    this.#url = url;
    watchWrites(pool, () => {
      for (const wrote of this.#wrote) wrote();
    });
  }

  onWrite(wrote: () => void): void {
    this.#wrote.push(wrote);
  }

  listen(channel: string, wake: Wake): StopListening {
    this.#wakes.set(channel, wake);
    if (this.#client) this.#client.query(`LISTEN ${channel}`).then(() => wake(''), ignore);
    else if (!this.#timer) void this.#connect();
    return async () => {
      this.#wakes.delete(channel);
      if (this.#wakes.size > 0)
        return void this.#client?.query(`UNLISTEN ${channel}`).catch(ignore);
      await this.close();
    };
  }

  async close(): Promise<void> {
    this.#wakes.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#client?.end().catch(ignore);
  }

  async confirm(): Promise<void> {
    const client = this.#listening ? this.#client : undefined;
    const { rows } = (await client?.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')) ?? {};
    // Behind a pooler the two differ, and notifications go to whom the connection is lent next.
    if (!client || rows?.[0]?.pid !== Reflect.get(client, 'processID'))
      throw new Error('no connection of our own listens');
  }

  async #connect(): Promise<void> {
    const made = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: PATIENCE,
      query_timeout: PATIENCE,
      keepAlive: true,
      application_name: 'trivium listen',
    });
    this.#client = made;
    let lost = false;
    const again = (): void => {
      if (lost) return;
      lost = true;
      this.#listening = false;
      this.#client = undefined;
      made.end().catch(ignore);
      if (this.#wakes.size === 0) return;
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        void this.#connect();
      }, this.#pause).unref();
      this.#pause = Math.min(this.#pause * 2, MAX_PAUSE);
      this.#wakeAll();
    };
    made.on('error', again);
    made.on('end', again);
    made.on('notification', ({ channel, payload }) => this.#wakes.get(channel)?.(payload));
    try {
      await made.connect();
      await made.query([...this.#wakes.keys()].map((channel) => `LISTEN ${channel}`).join(';'));
      this.#pause = 100;
      this.#listening = true;
      this.#wakeAll();
    } catch {
      again();
    }
  }

  #wakeAll(): void {
    for (const wake of this.#wakes.values()) wake();
  }
}

/** Notifications on the one connection of an embedded database. */
export class EmbeddedNotifications implements Notifications {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  listen(channel: string, wake: Wake): StopListening {
    const onNotification = (message: pg.Notification): void => {
      if (message.channel === channel) wake(message.payload);
    };
    const attach = (client: pg.PoolClient): void => void client.on('notification', onNotification);
    this.#pool.on('connect', attach);
    this.#pool.connect().then(async (client) => {
      attach(client);
      await client.query(`LISTEN ${channel}`).catch(ignore);
      client.release();
    }, ignore);
    return () => {
      this.#pool.off('connect', attach);
      return Promise.resolve();
    };
  }

  confirm(): Promise<void> {
    // A command that writes beside the gateway gets the notification itself.
    return Promise.reject(new Error('an embedded database tells only who asks'));
  }

  onWrite(): void {
    // Nothing can be confirmed, so nobody needs to know.
  }

  close(): Promise<void> {
    // It ends with its connection.
    return Promise.resolve();
  }
}

/** Calls `wrote` when a connection of the pool may have changed what others are told of: after the statement, or the commit. */
function watchWrites(pool: pg.Pool, wrote: () => void): void {
  pool.on('connect', (client) => {
    const connection: unknown = Reflect.get(client, 'connection');
    if (!(connection instanceof EventEmitter)) return;
    let writing = false;
    // The many overloads of `query` can't be typed here: arguments are passed on unchanged.
    const watched = client as unknown as { query: (...args: unknown[]) => unknown };
    const query = watched.query.bind(client);
    watched.query = (...args) => {
      writing ||= mayTell(args[0]);
      return query(...args);
    };
    connection.on('readyForQuery', ({ status }: { status: string }) => {
      if (!writing || status !== 'I') return;
      // Another statement may have begun.
      writing = Reflect.get(client, 'readyForQuery') !== true;
      wrote();
    });
    connection.on('end', () => writing && wrote());
  });
}

function ignore(): void {
  // Who listens is told of the loss, and asks again.
}
