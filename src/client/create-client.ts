import { defaultRetry, type RetryOptions } from './backoff.ts';
import { createFollowing, type Following } from './follow-changes.ts';
import { createSending, type Sending } from './send-documents.ts';
import { createPaging, type Paging } from './walk-pages.ts';

export type { RetryOptions } from './backoff.ts';
export type { FollowedEvent } from './follow-changes.ts';
export { GatewayError, ResyncRequiredError, type GatewayFault } from './gateway-error.ts';
export type { RequestOptions, TypedDocument } from './send-documents.ts';
export type { ConnectionPage, ConnectionPageBack } from './walk-pages.ts';

export interface ClientOptions {
  /** URL of the GraphQL endpoint, e.g. http://127.0.0.1:4000/graphql. */
  url: string;
  /** Session token; a function is called before every request. */
  token?: string | (() => string | undefined);
  fetch?: typeof globalThis.fetch;
  retry?: Partial<RetryOptions>;
  /** A stream that is silent for this long counts as broken; the gateway pings every 12 s. Default 40,000. */
  quietMs?: number;
}

export interface Client extends Sending, Paging, Following {}

/** Makes a client of the GraphQL surface. */
export function createClient({
  url,
  token,
  fetch = globalThis.fetch,
  retry: retryOptions,
  quietMs = 40_000,
}: ClientOptions): Client {
  const retry = { ...defaultRetry, ...retryOptions };
  const sending = createSending({ url, token, fetch, retry, quietMs });
  return {
    ...sending,
    ...createPaging(sending.request),
    ...createFollowing(sending.subscribe, retry),
  };
}
