import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import type { Config } from '../core/context/config.ts';
import { createLog } from '../core/log.ts';
import { StoppedError } from '../core/stop-signal.ts';
import { pageLinks } from './pages/front-page.ts';
import { startGateway, type Gateway } from './start.ts';

/**
 * A start that has not ended this long after the signal is aborted, in milliseconds; it can be interrupted safely at
 * any point.
 */
const GIVE_UP = 8_000;

/**
 * Runs the gateway until `stop`: prints its address, in words or as JSON, then drains and exits with code 0. A start
 * that is stopped also exits with 0, and leaves nothing locked.
 */
export async function runGateway(config: Config, stop: AbortSignal, json = false): Promise<void> {
  // Somebody may close them, or their disk be full: a gateway goes on without.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const giveUp = (): void => void setTimeout(() => process.exit(0), GIVE_UP).unref();
  if (stop.aborted) giveUp();
  else stop.addEventListener('abort', giveUp, { once: true });
  // V8 would make objects in its old space from the start once most of those that a line made outlived a collection: those
  // of requests do when a moment is slow, and are garbage there until the whole heap is collected.
  setFlagsFromString('--no-allocation-site-pretenuring');
  let gateway: Gateway;
  try {
    // In a terminal, the log would otherwise be words.
    gateway = await startGateway(config, json ? { log: createLog(config.logLevel) } : {}, stop);
  } catch (error) {
    if (error instanceof StoppedError) process.exit(0);
    throw error;
  }
  stop.removeEventListener('abort', giveUp);
  // The bytes of uploads and exports count as garbage. By default V8 collects the whole heap for every ten megabytes of
  // them, on threads whose time it does not account for: a sixth of an upload. With this flag it does so only when heap
  // and bytes have doubled. Not during the start, which makes most of its garbage once.
  setFlagsFromString('--heap-growing-percent=100');
  if (!stop.aborted) {
    process.stdout.write(json ? readyLine(gateway) : welcome(config, gateway));
    // A supervisor then restarts the process; if it stayed alive, it would answer errors for ever.
    void gateway.lost.then(({ message }) => {
      process.stderr.write(`error: the embedded database ended: ${message}\n`);
      process.exit(1);
    });
    await once(stop, 'abort');
  }
  try {
    await gateway.close();
  } catch (error) {
    process.stderr.write(`not closed cleanly: ${String(error)}\n`);
    process.exit(1);
  }
  process.exit(0);
}

/** The welcome as one line of JSON, among those of the log. */
function readyLine({ url, metricsUrl, hasDemo, demoKey }: Gateway): string {
  const ready = { msg: 'ready', url, metricsUrl: metricsUrl ?? null, hasDemo, demoKey };
  return `${JSON.stringify(ready)}\n`;
}

function welcome(config: Config, gateway: Gateway): string {
  const { url, hasDemo, demoKey } = gateway;
  const lines = [`Trivium is ready at ${url}`];
  for (const { name, path } of pageLinks(config.graphiql))
    lines.push(`  ${name.padEnd(12)} ${url}${path}`);
  if (gateway.metricsUrl !== undefined) lines.push(`  Metrics      ${gateway.metricsUrl}`);
  if (hasDemo) {
    const token = `$(curl -s ${url}/session -H 'Content-Type: application/json' -d '{"login":"associate","password":"demo"}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`;
    lines.push(
      '  Demo logins  associate, supervisor, leader; outsider in another domain. Password: demo',
      '  Try',
      `curl -s "${url}/task/v1/feeds/list?limit=3&projections=feed_title,status,end_date_time" -H "X-service-csrf-token-X: ${token}"`,
    );
  }
  if (demoKey !== null) {
    lines.push(
      '  Task tracker: the headers of the demo customer, shown this once (more keys: trivium api-key --help)',
      `API-Key: ${demoKey}`,
      'customerId: demo',
      '  Try',
      `curl -s ${url}/api/task-tracker-external/tasks -H 'API-Key: ${demoKey}' -H 'customerId: demo' -H 'Content-Type: application/json' -d '{"name":"Restock the milk","priority":"HIGH","assignedTo":"associate"}'`,
    );
  }
  return `${lines.join('\n')}\n`;
}
