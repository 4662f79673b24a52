import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * How a unit of work ended: `refused` is the caller's fault, `failed` ours; with `aborted` nobody waited for the reply
 * any more.
 */
export type Outcome = 'ok' | 'refused' | 'failed' | 'aborted';

/** Data about a unit of work while it runs, for its log line, metrics and spans. Only names and times, never values. */
export interface Trace {
  requestId: string;
  surface: 'rest' | 'graphql' | 'websocket' | 'background';
  /** Name of the REST operation, or kind and root field of the GraphQL operation (`query viewer.feeds`): from a bounded set. */
  operation: string;
  /** The documented path, with its parameters in braces. */
  path: string;
  /** The client's own name of its GraphQL operation. */
  clientName: string | undefined;
  outcome: Outcome;
  /** The cause of its failure is already in the log. */
  told: boolean;
  /** From performance.now(). */
  startedAt: number;
  /** Total time of its statements, in milliseconds; counted inside `Telemetry.run`. */
  dbMs: number;
  phases: Phase[];
  span: TraceSpan | undefined;
}

/** A part of the work: parse, validate or execute, in milliseconds. */
export interface Phase {
  name: string;
  ms: number;
}

/** A span of a distributed trace; times from performance.now(). */
export interface TraceSpan {
  /** Adds a finished part. */
  part(
    name: string,
    part: {
      kind: 'internal' | 'client';
      startedAt: number;
      attributes?: Record<string, string>;
      failed?: boolean;
    },
  ): void;
  end(name: string, attributes: Record<string, string | number>, failed: boolean): void;
}

/** How the process reports to operators. Costs next to nothing while logs, metrics and traces are off. */
export interface Telemetry {
  /** Whether the phases of GraphQL requests are measured. */
  readonly phases: boolean;
  /** Begins the trace of a request; its outcome is recorded when the response closes. */
  request(trace: Trace, request: IncomingMessage, response: ServerResponse): void;
  /** Runs work and counts its statements for the trace. */
  run<T>(trace: Trace, work: () => T): T;
  /** Records an operation that came over a WebSocket. */
  operation(trace: Trace): void;
  /** Records one run of a background job, in milliseconds. */
  job(name: string, ms: number, failed: boolean): void;
  /** Records a reply that hides a failure of ours (D-48). */
  degraded(operation: string): void;
  /** Records a call of the image storage. */
  storage(action: string, failed: boolean): void;
  /** Counts a connection that was closed as it came: there were too many. */
  refusedConnection(): void;
  /** Sends what is still buffered. */
  close(): Promise<void>;
}

/** A trace that begins now. */
export function startTrace(requestId: string, surface: Trace['surface']): Trace {
  return {
    requestId,
    surface,
    operation: 'unknown',
    path: '',
    clientName: undefined,
    outcome: 'ok',
    told: false,
    startedAt: performance.now(),
    dbMs: 0,
    phases: [],
    span: undefined,
  };
}
