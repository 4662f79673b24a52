import type { IncomingMessage, ServerResponse } from 'node:http';

/** How a unit of work ended: `refused` is the caller's fault, `failed` ours, `aborted` had nobody left to answer. */
export type Outcome = 'ok' | 'refused' | 'failed' | 'aborted';

/** What is known of a unit of work while it runs, for its log line, metrics and spans. Names and times only, never values. */
export interface Trace {
  requestId: string;
  face: 'rest' | 'graphql' | 'websocket' | 'background';
  /** Name of the REST operation, or kind and root field of the GraphQL operation (`query viewer.feeds`): from a bounded set. */
  operation: string;
  /** The documented path, with its parameters in braces. */
  path: string;
  /** What the client calls its GraphQL operation. */
  clientName: string | undefined;
  outcome: Outcome;
  /** The log has the cause of its failure already. */
  told: boolean;
  /** From performance.now(). */
  startedAt: number;
  /** Time that statements took, in milliseconds; counted where `Telemetry.run` follows the work. */
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

/** How the process tells operators what it does. Costs next to nothing where nobody has asked. */
export interface Telemetry {
  /** Are the phases of GraphQL worth measuring? */
  readonly phases: boolean;
  /** Begins the trace of a request; what becomes of it is noted when the response closes. */
  request(trace: Trace, request: IncomingMessage, response: ServerResponse): void;
  /** Runs work so that its statements count for the trace. */
  run<T>(trace: Trace, work: () => T): T;
  /** Notes an operation that came over a WebSocket. */
  operation(trace: Trace): void;
  /** Notes a turn of a background job, in milliseconds. */
  job(name: string, ms: number, failed: boolean): void;
  /** Notes an answer that hides a failure of ours (D-48). */
  degraded(operation: string): void;
  /** Notes a call of the image storage. */
  storage(action: string, failed: boolean): void;
  /** Sends what still waits. */
  close(): Promise<void>;
}

/** A trace that begins now. */
export function startTrace(requestId: string, face: Trace['face']): Trace {
  return {
    requestId,
    face,
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
