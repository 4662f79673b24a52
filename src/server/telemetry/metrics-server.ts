import { once } from 'node:events';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';
import { Gauge } from 'prom-client';
import type { Services } from '../../core/context/context.ts';
import { listenAt } from '../places/listen-at.ts';
import type { Metrics } from './metrics.ts';

/** A metrics request that takes longer is cut off, in milliseconds. */
const SCRAPE_TIMEOUT = 10_000;

/**
 * Serves `GET /metrics` at its own address, so that no proxy in front of the gateway can expose it. Returns the
 * address, and how to stop.
 */
export async function serveMetrics(
  services: Services,
  metrics: Metrics,
  address: { host: string; port: number },
): Promise<{ url: string; close(): Promise<void> }> {
  addGauges(services, metrics);
  const { registry } = metrics;
  const server = createServer({ requestTimeout: SCRAPE_TIMEOUT }, (request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      (error: unknown) => {
        services.log.error({ err: error }, 'metrics could not be collected');
        response.writeHead(500).end();
      },
    );
  });
  const port = await listenAt(server, address, 'metrics');
  return {
    url: `http://${address.host.includes(':') ? `[${address.host}]` : address.host}:${port}/metrics`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Values that are read at the time of the scrape. */
function addGauges(
  { db, changes, config, log, replicas, turns }: Services,
  { registry }: Metrics,
): void {
  const gauge = (name: string, help: string, read: () => number | Promise<number>): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await read());
      },
    });
  };
  new Gauge({
    name: 'trivium_db_connections',
    help: 'Connections of the pool: open, idle, and requests that wait for one, or for their turn to write.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'total' }, db.pool.totalCount);
      this.set({ state: 'idle' }, db.pool.idleCount);
      this.set({ state: 'waiting' }, db.waiting());
    },
  });
  gauge('trivium_db_up', '1 when the database answered during the scrape.', () =>
    db.rows('SELECT 1', []).then(
      () => 1,
      () => 0,
    ),
  );
  gauge(
    'trivium_requests_waiting',
    'Requests that wait because their domain has several running while the database or the processor is busy.',
    () => turns.waiting,
  );
  gauge('trivium_streams_open', 'Open subscriptions.', () => changes.open);
  gauge(
    'trivium_change_lag_seconds',
    'Age of the oldest committed change that open subscriptions have not been told of; NaN when it could not be read.',
    () =>
      changes.lag().catch((error: unknown) => {
        log.warn({ err: error }, 'the lag of the change log could not be read');
        return NaN;
      }),
  );
  if (replicas)
    new Gauge({
      name: 'trivium_replica_lag_seconds',
      help: 'How far a read replica is behind at most; +Inf when it is unreachable, promoted or unknown.',
      labelNames: ['server'],
      registers: [registry],
      collect() {
        for (const { server, seconds } of replicas.lags()) this.set({ server }, seconds);
      },
    });
  let utilisation = performance.eventLoopUtilization();
  gauge(
    'trivium_event_loop_utilization',
    'Share of the time since the last scrape in which the event loop was busy, 0 to 1.',
    () => {
      const now = performance.eventLoopUtilization();
      const share = performance.eventLoopUtilization(now, utilisation).utilization;
      utilisation = now;
      return share;
    },
  );
  const folders = [
    config.storage.stagingFolder,
    ...(config.storage.kind === 'filesystem' ? [config.storage.folder] : []),
  ];
  gauge(
    'trivium_disk_free_bytes',
    'Free space below DATA_DIR and the storage folder, the smaller of the two.',
    async () => Math.min(...(await Promise.all(folders.map(freeBytes)))),
  );
}

/** Free bytes on the file system of a folder, even if the folder does not exist yet. */
async function freeBytes(folder: string): Promise<number> {
  const found = await statfs(folder).catch(() => statfs('.'));
  return found.bavail * found.bsize;
}
