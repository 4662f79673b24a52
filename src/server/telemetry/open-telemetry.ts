import type { IncomingHttpHeaders } from 'node:http';
import {
  defaultTextMapGetter,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace as api,
  type HrTime,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Log } from '../../core/log.ts';
import type { Trace, TraceSpan } from '../../core/context/telemetry.ts';

export interface Spans {
  /** Begins the span of a unit of work, below the caller's span if the request names one (W3C traceparent). */
  start(trace: Trace, headers: IncomingHttpHeaders): TraceSpan;
  close(): Promise<void>;
}

/** Longest wait for sending the last spans when closing, in milliseconds. */
const LAST_WAIT = 2_000;

/**
 * Sends spans by OTLP over HTTP. Loaded only when an endpoint is configured. Spans that can't be sent are dropped and
 * logged, never waited for.
 */
export function createSpans(
  { endpoint, serviceName }: { endpoint: string; serviceName: string },
  log: Log,
): Spans {
  const ignore = (): void => {};
  diag.setLogger(
    {
      error: (message) => log.warn({ message }, 'traces not sent'),
      warn: ignore,
      info: ignore,
      debug: ignore,
      verbose: ignore,
    },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` })),
    ],
  });
  const tracer = provider.getTracer('trivium');
  const propagator = new W3CTraceContextPropagator();
  return {
    start(trace, headers) {
      const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
      const span = tracer.startSpan(
        trace.operation,
        { kind: SpanKind.SERVER, startTime: timeOf(trace.startedAt) },
        parent,
      );
      const inside = api.setSpan(parent, span);
      const fail = { code: SpanStatusCode.ERROR };
      return {
        part(name, { kind, startedAt, attributes = {}, failed = false }) {
          if (!span.isRecording()) return;
          const part = tracer.startSpan(
            name,
            {
              kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
              startTime: timeOf(startedAt),
              attributes,
            },
            inside,
          );
          if (failed) part.setStatus(fail);
          part.end(timeOf(performance.now()));
        },
        end(name, attributes, failed) {
          span.updateName(name).setAttributes(attributes);
          if (failed) span.setStatus(fail);
          span.end(timeOf(performance.now()));
        },
      };
    },
    async close() {
      const tooLate = new Promise<'late'>((resolve) =>
        setTimeout(resolve, LAST_WAIT, 'late').unref(),
      );
      const ended = await Promise.race([provider.shutdown().catch(() => 'failed'), tooLate]);
      if (ended !== undefined) log.warn('traces not sent');
    },
  };
}

/** A time of performance.now() as seconds and nanoseconds since 1970. */
function timeOf(now: number): HrTime {
  const ms = performance.timeOrigin + now;
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
