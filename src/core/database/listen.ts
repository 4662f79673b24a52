import pg from 'pg';

/** Longest pause between attempts to connect again, in milliseconds. */
const MAX_PAUSE = 2_000;

/** Called with the text of a notification, and without one after a connect. */
export type Wake = (text?: string) => void;

/** Stops listening. */
export type StopListening = () => Promise<void>;

/**
 * Calls `wake` for every notification on a channel, over its own connection. A lost connection is opened again; `wake`
 * is also called after each connect, since notifications may have been missed. Returns at once.
 */
export function listenOnServer(url: string, channel: string, wake: Wake): StopListening {
  let stopped = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let pause = 100;
  const connect = async (): Promise<void> => {
    const made = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      application_name: 'trivium listen',
    });
    client = made;
    let lost = false;
    const again = (): void => {
      if (lost) return;
      lost = true;
      made.end().catch(() => {});
      if (stopped) return;
      timer = setTimeout(() => void connect(), pause).unref();
      pause = Math.min(pause * 2, MAX_PAUSE);
    };
    made.on('error', again);
    made.on('end', again);
    made.on('notification', ({ payload }) => wake(payload));
    try {
      await made.connect();
      await made.query(`LISTEN ${channel}`);
      pause = 100;
      wake();
    } catch {
      again();
    }
  };
  void connect();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await client?.end().catch(() => {});
  };
}

/** The same on the one connection of an embedded database. */
export function listenOnPool(pool: pg.Pool, channel: string, wake: Wake): StopListening {
  const onNotification = (message: pg.Notification): void => {
    if (message.channel === channel) wake(message.payload);
  };
  const attach = (client: pg.PoolClient): void => void client.on('notification', onNotification);
  pool.on('connect', attach);
  pool.connect().then(
    async (client) => {
      attach(client);
      await client.query(`LISTEN ${channel}`).catch(() => {});
      client.release();
    },
    () => {},
  );
  return () => {
    pool.off('connect', attach);
    return Promise.resolve();
  };
}
