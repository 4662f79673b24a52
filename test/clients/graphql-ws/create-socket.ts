import { createClient, type ClientOptions, type Sink, type SubscribePayload } from 'graphql-ws';
import type { FormattedExecutionResult } from 'graphql';
import { beforeRetry, resume } from '../resume.ts';

/** Close code for a session that has ended. */
const FORBIDDEN = 4403;

type Subscribe = (payload: SubscribePayload, sink: Sink<FormattedExecutionResult>) => () => void;

/** Subscriptions over WebSocket that survive a restart of the gateway; the function returned ends one. */
export function createSocket(
  url: string,
  token: () => string | undefined,
  options?: Partial<ClientOptions>,
): Subscribe {
  const client = createClient({
    url: url.replace(/^http/, 'ws'),
    connectionParams: () => ({ 'X-service-csrf-token-X': token() }),
    retryAttempts: Infinity,
    retryWait: beforeRetry,
    shouldRetry: (event) => (event as Partial<CloseEvent>).code !== FORBIDDEN,
    ...options,
  });
  return (payload, sink) => client.subscribe(payload, resume(payload, sink));
}
