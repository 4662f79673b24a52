import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { ConfigError, type Config } from '../../core/context/config.ts';
import { codeOf } from '../../core/errors.ts';

/** Where a server listens, as the environment says. */
interface Place {
  host: string;
  port: number;
}

/** The variables that name a place. */
type Names = readonly [host: string, port: string];

const GATEWAY: Names = ['HOST', 'PORT'];
const METRICS: Names = ['METRICS_HOST', 'METRICS_PORT'];

/** Makes a server listen; returns the port, which the system chooses where it is 0. Throws what checkPlaces throws. */
export async function listenAt(
  server: Server,
  { host, port }: Place,
  of: 'gateway' | 'metrics' = 'gateway',
): Promise<number> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw explain(error, { host, port }, of === 'metrics' ? METRICS : GATEWAY);
  }
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}

/**
 * Listens for a moment wherever the gateway will, so that a start that can't succeed does nothing. Throws ConfigError for a
 * host or port that can't be listened on, and an error of code EADDRINUSE for a port that is taken.
 */
export async function checkPlaces(config: Config): Promise<void> {
  const servers = [createServer(), createServer()] as const;
  try {
    await listenAt(servers[0], config);
    if (config.metrics) await listenAt(servers[1], config.metrics, 'metrics');
  } finally {
    for (const server of servers)
      if (server.listening) await new Promise((resolve) => server.close(resolve));
  }
}

function explain(error: unknown, { host, port }: Place, [hostName, portName]: Names): unknown {
  const code = codeOf(error);
  if (code === 'EADDRINUSE')
    return Object.assign(
      new Error(
        `port ${port} of ${host} is taken: stop the process that listens there, or choose another ${portName}`,
        { cause: error },
      ),
      { code },
    );
  if (code === 'EACCES')
    return new ConfigError(`${portName}: expected one that this user may listen on (is "${port}")`);
  if (!isWrongHost(code)) return error;
  return new ConfigError(
    `${hostName}: expected an address of this machine, or a name that has one (is ${JSON.stringify(host)})`,
  );
}

/** No address of this machine, none at all, or a name that can't be looked up. */
const isWrongHost = (code: unknown): boolean =>
  /^(EADDRNOTAVAIL|EAFNOSUPPORT|EINVAL|ENOTFOUND|EAI_.*)$/.test(String(code));
