import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Trace } from '../core/context/telemetry.ts';
import type { RouteFamily } from '../core/rest/route.ts';
import type { Signal } from '../core/signal.ts';

/** A request that is being answered. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  trace: Trace;
  /** Aborted when nobody waits for the reply any more. */
  signal: Signal;
  /** Replaces the time limit of the request by one for silence, for transfers. */
  untimed: () => void;
  /** The format of its error bodies; refined once its route is known. */
  family: RouteFamily | 'graphql';
}
