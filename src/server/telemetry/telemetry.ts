import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../../core/context/config.ts';
import type { Log } from '../../core/log.ts';
import type { Telemetry, Trace } from '../../core/context/telemetry.ts';
import type { OnStatement } from '../../core/wire/wire.ts';
import type { Metrics } from './metrics.ts';

/** Longest text of a statement in a log line or a span. */
const STATEMENT_LENGTH = 1_000;

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

  const onStatement: OnStatement = (sql) => {
    const startedAt = performance.now();
    const trace = current?.getStore();
    return (failed) => endStatement(sql, startedAt, trace, failed);
  };
  const endStatement = (
    sql: string,
    startedAt: number,
    trace: Trace | undefined,
    failed: boolean,
  ): void => {
    const ms = performance.now() - startedAt;
    metrics?.statement(ms, failed);
    const text = (): string => sql.replaceAll(/\s+/g, ' ').slice(0, STATEMENT_LENGTH);
    if (trace) {
      trace.dbMs += ms;
      trace.span?.part(nameOf(sql), {
        kind: 'client',
        startedAt,
        attributes: { 'db.system.name': 'postgresql', 'db.query.text': text() },
        failed,
      });
    }
    if (config.slowQueryMs > 0 && ms > config.slowQueryMs) {
      log.warn(
        {
          ...(trace && { requestId: trace.requestId, operation: trace.operation }),
          ms: rounded(ms),
          statement: text(),
        },
        'slow statement',
      );
    }
  };

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
    close: async () => spans?.close(),
  };
  return { telemetry, onStatement: metrics || follows ? onStatement : undefined, metrics };
}

/** Is it a successful probe? Probes come every few seconds and are of no interest as long as they succeed. */
function isProbe({ operation, outcome }: Trace): boolean {
  return (operation === 'healthz' || operation === 'readyz') && outcome === 'ok';
}

/** Adds `Server-Timing` when the headers are sent: every reply goes through `writeHead`. */
function tellTiming(trace: Trace, response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
  response.writeHead = (...args: unknown[]): ServerResponse => {
    const parts = [
      { name: 'total', ms: performance.now() - trace.startedAt },
      { name: 'db', ms: trace.dbMs },
      ...trace.phases,
    ];
    if (!response.headersSent)
      response.setHeader(
        'server-timing',
        parts.map(({ name, ms }) => `${name};dur=${rounded(ms)}`).join(', '),
      );
    return writeHead(...args);
  };
}

/** A short name of a statement, `SELECT feed_listing`: its verb and the first table that it names. */
function nameOf(sql: string): string {
  const verb = /[a-z]+/i.exec(sql)?.[0].toUpperCase() ?? 'SQL';
  const table = /\b(?:from|into|update|join)\s+"?([a-z_][\w."]*)/i
    .exec(sql)?.[1]
    ?.replaceAll('"', '');
  return table === undefined ? verb : `${verb} ${table}`;
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
