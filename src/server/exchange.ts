import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Trace } from '../core/context/telemetry.ts';
import type { RouteFamily } from '../core/rest/route.ts';
import type { Signal } from '../core/signal.ts';

/** A request while it is answered. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  trace: Trace;
  /** Aborted when nobody waits for the answer any more. */
  signal: Signal;
  /** Lets the request take as long as something moves. */
  untimed: () => void;
  /** Whose error bodies it gets: known better once its path is. */
  family: RouteFamily | 'graphql';
}
