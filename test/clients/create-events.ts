import { createClient, type ExecutionResult, type RequestParams, type Sink } from 'graphql-sse';
import { beforeRetry, resume } from './resume.ts';

type Subscribe = (request: RequestParams, sink: Sink<ExecutionResult>) => () => void;

/** Subscriptions over server-sent events that survive a restart of the gateway; the function returned ends one. */
export function createEvents(url: string, session: () => Record<string, string>): Subscribe {
  let refused = false;
  const client = createClient({
    url,
    headers: () => {
      if (refused) throw new Error('The session has ended: sign in, and subscribe again');
      return session();
    },
    fetchFn: async (...request: Parameters<typeof fetch>) => {
      const response = await fetch(...request);
      refused = response.status === 401;
      return response;
    },
    retryAttempts: Infinity,
    retry: beforeRetry,
  });
  return (request, sink) => {
    refused = false;
    return client.subscribe(request, resume(request, sink));
  };
}
