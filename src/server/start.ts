import { once } from 'node:events';
import { createServer } from 'node:http';
import { ConfigError, type Config } from '../core/context/config.ts';
import type { Services } from '../core/context/context.ts';
import { openLog } from '../core/log.ts';
import { isLocked } from '../core/database/folder-lock.ts';
import { refreshStatistics } from '../core/database/refresh-statistics.ts';
import { DemoMark } from '../import/demo-mark.ts';
import { ensureDemo, ensureDemoKey } from '../import/ensure-demo.ts';
import { releaseImports } from '../dataset-management/annotation-import/jobs/take-up-imports.ts';
import { releaseExports } from '../dataset-management/export/jobs/take-up-exports.ts';
import { releaseVersions } from '../dataset-management/versions/freeze/run-next-version.ts';
import { tellLostParts } from '../core/migrations/tell-lost-parts.ts';
import { checkChangeLog } from '../task-execution/changes/keep-change-log.ts';
import { createApp } from './app.ts';
import { jobNames, startBackground } from './background.ts';
import { mark, unmark } from './control/gateway-mark.ts';
import { startBesideCommands } from './control/start-beside-commands.ts';
import { serveControl } from './control/serve-control.ts';
import { schema } from './graphql/schema/schema.ts';
import { loadTrustedDocuments, type TrustedDocuments } from './graphql/trusted-documents.ts';
import { refuseConnection } from './http/connections/refuse-connection.ts';
import { Listening } from './http/connections/listening.ts';
import { oneByOne } from './http/connections/one-by-one.ts';
import { limitConnections } from './http/connections/limit-connections.ts';
import { takeUpgrades } from './http/connections/take-upgrades.ts';
import { routes } from './routes/routes.ts';
import { createServices } from './services.ts';
import { tellFullDisk } from './places/data-folder.ts';
import { checkStorage } from './places/check-storage.ts';
import { checkPlaces, listenAt } from './places/listen-at.ts';
import { knownOperations } from './graphql/schema/known-operations.ts';
import { storageActions } from './telemetry/measure-storage.ts';
import { createTelemetry } from './telemetry/telemetry.ts';

export interface Gateway {
  /** Base URL, e.g. http://127.0.0.1:4000. */
  url: string;
  /** Address of the metrics, if they are served. */
  metricsUrl: string | undefined;
  /** Whether the database has demo data to announce. */
  hasDemo: boolean;
  /** API key of the demo customer, only on the start that created it: it is never shown again. */
  demoKey: string | null;
  /**
   * Stops accepting connections, lets requests in progress finish, cuts open streams, closes the database. Takes at most
   * 8 s.
   */
  close(): Promise<void>;
  /** Resolves when the embedded database has crashed: the gateway can't answer any more. */
  lost: Promise<Error>;
}

/** Replacements of capabilities for tests, and a way to get at those that were created. */
export type GivenServices = NonNullable<Parameters<typeof createServices>[1]> & {
  onServices?: (services: Services) => void;
  /** Replaces IDLE, in milliseconds. */
  idleMs?: number;
};

/** Time for a client to send the headers, unless REQUEST_TIMEOUT_MS is less; in milliseconds. */
const HEADERS = 10_000;

/**
 * Age at which idle connections are closed when closing, in milliseconds. A request may be on its way on one, and would
 * be lost: a proxy that keeps idle connections for less (deploy/nginx.conf: 1 s) never sends one into a closing one.
 */
const IDLE = 1_500;

/** Longest wait for requests in progress when closing, in milliseconds. */
const DRAIN = 5_000;

/**
 * Opens the database, loads the demo data if wanted, and listens. Throws FolderInUseError, ConfigError, errors of the
 * database or the port, or the reason of `stop`, which is checked between steps. Whatever it throws, the database is
 * closed and the folder unlocked.
 */
export async function startGateway(
  config: Config,
  given: GivenServices = {},
  stop?: AbortSignal,
): Promise<Gateway> {
  const { database } = config;
  await checkPlaces(config).catch((error: unknown) => {
    // A gateway on the folder has the port, too, and may be about to stop: it is waited for, or told of.
    const held = database.kind === 'embedded' && !given.database && isLocked(database.dataDir);
    if (!held || error instanceof ConfigError) throw error;
  });
  const trusted = loadTrustedDocuments(config.trustedDocuments);
  const start = (): Promise<Gateway> => openGateway(config, trusted, given, stop);
  if (database.kind === 'server' || given.database) return start();
  const { dataDir } = database;
  const gateway = await startBesideCommands(dataDir, start, stop).catch((error: unknown) => {
    throw tellFullDisk(error, dataDir);
  });
  const close = async (): Promise<void> => {
    mark(dataDir);
    await gateway.close().finally(() => unmark(dataDir));
  };
  return { ...gateway, close };
}

async function openGateway(
  config: Config,
  trusted: TrustedDocuments | undefined,
  given: GivenServices,
  stop: AbortSignal | undefined,
): Promise<Gateway> {
  const log = given.log ?? (await openLog(config));
  const telemetry = await createTelemetry(config, log);
  stop?.throwIfAborted();
  const services = await createServices(config, { ...given, log, telemetry });
  given.onServices?.(services);
  let metricsServer: { url: string; close(): Promise<void> } | undefined;
  let background: ReturnType<typeof startBackground> | undefined;
  try {
    stop?.throwIfAborted();
    await checkStorage(services);
    const { database } = config;
    const dataDir = database.kind === 'embedded' && !given.database ? database.dataDir : undefined;
    const demoMark = new DemoMark(dataDir);
    const demo = await ensureDemo(services, demoMark);
    // In production, logins with a known password are not announced and no key is created, unless DEMO=true.
    const offersDemo = demo !== 'absent' && (config.demo === true || !config.production);
    const demoKey = offersDemo && services.db.embedded ? await ensureDemoKey(services) : null;
    if (demo !== 'absent' && !offersDemo)
      services.log.warn(
        'the database holds the demo logins, whose password everybody knows: remove or disable them',
      );
    stop?.throwIfAborted();
    await checkChangeLog(services);
    await tellLostParts(services.db.pool, log);
    if (services.db.embedded) await refreshStatistics(services.db);
    const { metrics } = telemetry;
    if (metrics && config.metrics) {
      metrics.begin({
        operations: knownOperations(routes, schema),
        jobs: jobNames,
        degrading: routes.flatMap(({ failsAsNoData, operation }) =>
          failsAsNoData ? [operation] : [],
        ),
        storage: storageActions,
      });
      metricsServer = await (
        await import('./telemetry/metrics-server.ts')
      ).serveMetrics(services, metrics, config.metrics);
    }
    if (!config.datasetAuth)
      services.log.warn(
        'DATASET_AUTH is off: whoever reaches this gateway has the datasets of its first user',
      );
    const app = createApp(services, offersDemo, trusted);
    const listening = new Listening(app.handle);
    const handle = oneByOne(listening.handle);
    const server = createServer(
      {
        maxHeaderSize: 16_384,
        headersTimeout: Math.min(HEADERS, config.requestTimeoutMs),
        requestTimeout: 600_000,
        keepAliveTimeout: 65_000,
        connectionsCheckingInterval: Math.min(2_000, config.requestTimeoutMs),
      },
      handle,
    );
    // Node would forget all headers after two thousand, and none of them may be missed; their size is limited.
    server.maxHeadersCount = 0;
    limitConnections(server, config, services.log, () => services.telemetry.refusedConnection());
    server.on('clientError', refuseConnection);
    takeUpgrades(server, app.isUpgrade, app.upgrade);
    const port = await listenAt(server, config);
    services.steps.start();
    // Creating the demo's images takes longer than the rest of a first start, so it continues while the gateway already
    // answers.
    const leaving = new AbortController();
    const images =
      demo === 'fresh'
        ? import('../import/finish-demo.ts').then(({ finishDemo }) =>
            finishDemo(services, demoMark, leaving.signal),
          )
        : Promise.resolve();
    await services.storage.tidy();
    await releaseExports(services);
    await releaseImports(services);
    await releaseVersions(services);
    background = startBackground(services);
    const control = dataDir === undefined ? undefined : await serveControl(services, dataDir);
    const host = reachable(config.host);
    const close = async (): Promise<void> => {
      leaving.abort();
      const commands = control?.close();
      const closed = once(server, 'close');
      const idle = setTimeout(() => server.closeIdleConnections(), given.idleMs ?? IDLE);
      const deadline = setTimeout(() => server.closeAllConnections(), DRAIN);
      await Promise.all([app.drain(), listening.stop(server)]);
      await closed;
      clearTimeout(idle);
      clearTimeout(deadline);
      await images;
      await commands;
      await app.close();
      for (const counts of [services.usage, services.audit])
        await counts
          .flush()
          .catch((error: unknown) =>
            services.log.error({ err: error }, 'counts could not be written and are lost'),
          );
      await background?.stop();
      await services.steps.close();
      await services.imaging.close();
      await services.storage.close();
      await services.replicas?.close();
      await services.db.close();
      await metricsServer?.close();
      await services.telemetry.close();
    };
    return {
      url: `http://${host}:${port}${config.basePath}`,
      metricsUrl: metricsServer?.url,
      hasDemo: offersDemo,
      demoKey,
      close,
      lost: services.db.lost,
    };
  } catch (error) {
    await background?.stop();
    await services.steps.close();
    await services.replicas?.close();
    await metricsServer?.close();
    await services.db.close();
    throw error;
  }
}

/** A host that works in a URL on this machine: a wildcard address does not. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
