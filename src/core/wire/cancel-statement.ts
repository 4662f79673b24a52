import pg from 'pg';

/** Longest wait for the server, in milliseconds. */
const PATIENCE = 2_000;

/** Members that the types of `pg` leave out. */
interface Backend {
  processID: number | null;
  secretKey: number | null;
  host: string;
  port: number;
  ssl: pg.ConnectionConfig['ssl'];
  sslNegotiation: pg.ConnectionConfig['sslnegotiation'];
}
interface Wire extends pg.Connection {
  connect(port: number | string, host?: string): void;
  cancel(processID: number, secretKey: number): void;
}

/**
 * Cancels what a connection runs, by the key that the server (or the pooler before it) gave to the connection, so that
 * it never hits another one. Takes no connection of the pool, nor one of the server's `max_connections`. When it
 * returns, the server has heard of it, or the statement is left to its own time limit.
 */
export function cancelStatement(client: pg.ClientBase): Promise<void> {
  const { processID, secretKey, host, port, ssl, sslNegotiation } = client as unknown as Backend;
  if (processID === null || secretKey === null) return Promise.resolve();
  return new Promise((resolve) => {
    const other = new pg.Connection({ ssl, sslNegotiation } as pg.ConnectionConfig) as Wire;
    const end = (): void => {
      clearTimeout(timer);
      other.stream.destroy();
      resolve();
    };
    const timer = setTimeout(end, PATIENCE);
    other.on('error', end);
    other.on('end', end);
    other.on(ssl ? 'sslconnect' : 'connect', () => other.cancel(processID, secretKey));
    if (host.startsWith('/')) other.connect(`${host}/.s.PGSQL.${port}`);
    else other.connect(port, host);
  });
}
