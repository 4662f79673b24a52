import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../../core/context/config.ts';
import type { Log } from '../../core/log.ts';
import type { Telemetry, Trace } from '../../core/context/telemetry.ts';
import type { OnStatement } from '../../core/wire/wire.ts';
import type { Metrics } from './metrics.ts';
import { observeStatements } from './observe-statements.ts';
import { rounded } from './rounded.ts';
import { tellTiming } from './tell-timing.ts';

export interface GatewayTelemetry {
  telemetry: Telemetry;
  /** Undefined when nothing observes statements. */
  onStatement: OnStatement | undefined;
  metrics: Metrics | undefined;
}

/**
 * Creates the telemetry that the configuration asks for: request log, slow-query log, `Server-Timing` outside
 * production, metrics, traces. Statements are attributed to their requests only if one of these needs it, because that
 * costs some microseconds per request.
 */
export async function createTelemetry(config: Config, log: Log): Promise<GatewayTelemetry> {
  const metrics = config.metrics ? (await import('./metrics.ts')).createMetrics() : undefined;
  const spans = config.openTelemetry
    ? (await import('./open-telemetry.ts')).createSpans(config.openTelemetry, log)
    : undefined;
  const follows = !config.production || spans !== undefined || config.slowQueryMs > 0;
  const current = follows ? new AsyncLocalStorage<Trace>() : undefined;

  const onStatement = observeStatements({ config, log, metrics, current });

  const finish = (trace: Trace, request: IncomingMessage, response: ServerResponse): void => {
    const ms = rounded(performance.now() - trace.startedAt);
    const status = response.statusCode;
    const streams = response.getHeader('content-type') === 'text/event-stream';
    // An answer that was cut off, such as half a download, reached nobody; a stream ends when its client goes.
    if (!response.writableFinished && !streams) trace.outcome = 'aborted';
    else if (trace.outcome === 'ok' && status >= 400)
      trace.outcome = status >= 500 ? 'failed' : 'refused';
    // A document that was refused before it ran may be answered with 200.
    else if (trace.operation === 'graphql' && request.method === 'POST') trace.outcome = 'refused';
    const { requestId, operation, path, clientName, outcome } = trace;
    const line = {
      requestId,
      method: request.method,
      operation,
      ...(path !== '' && { path }),
      ...(clientName !== undefined && { name: clientName }),
      status,
      outcome,
      ms,
    };
    if (isProbe(trace)) return log.debug(line, 'request');
    if (status >= 500 && response.headersSent && !trace.told) log.error(line, 'request');
    else log.info(line, 'request');
    // How long a stream was open says nothing about speed.
    metrics?.request(trace, streams ? undefined : ms);
    trace.span?.end(
      `${request.method ?? 'GET'} ${path === '' ? operation : path}`,
      {
        'http.request.method': request.method ?? 'GET',
        'http.route': path,
        'http.response.status_code': status,
        'trivium.operation': operation,
        'trivium.request_id': requestId,
      },
      outcome === 'failed',
    );
  };

  const telemetry: Telemetry = {
    phases: !config.production || spans !== undefined,
    request(trace, request, response) {
      trace.span = spans?.start(trace, request.headers);
      if (!config.production) tellTiming(trace, response);
      response.once('close', () => finish(trace, request, response));
    },
    run: (trace, work) => (current ? current.run(trace, work) : work()),
    operation(trace) {
      const ms = rounded(performance.now() - trace.startedAt);
      const { requestId, operation, clientName, outcome } = trace;
      log.info(
        {
          requestId,
          operation,
          ...(clientName !== undefined && { name: clientName }),
          outcome,
          ms,
        },
        'request',
      );
      metrics?.request(trace, operation.startsWith('subscription') ? undefined : ms);
      trace.span?.end(
        operation,
        { 'trivium.operation': operation, 'trivium.request_id': requestId },
        outcome === 'failed',
      );
    },
    job: (name, ms, failed) => metrics?.job(name, ms, failed),
    degraded: (operation) => metrics?.degraded(operation),
    refusedConnection: () => metrics?.refusedConnection(),
    storage: (action, failed) => metrics?.storage(action, failed),
    close: async () => {
      // Until it is disabled, each promise of the process carries a field for it: who starts many gateways would slow down.
      current?.disable();
      await spans?.close();
    },
  };
  return { telemetry, onStatement: metrics || follows ? onStatement : undefined, metrics };
}

/** Is it a successful probe? Probes come every few seconds and are of no interest as long as they succeed. */
function isProbe({ operation, outcome }: Trace): boolean {
  return (operation === 'healthz' || operation === 'readyz') && outcome === 'ok';
}
