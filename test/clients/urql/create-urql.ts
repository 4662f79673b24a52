import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import type { IntrospectionQuery } from 'graphql';
import { createEvents } from '../create-events.ts';

/** An urql client with a normalized cache. `schema`: what introspect-schema.ts makes of schema.graphql. */
export function createUrql(
  url: string,
  token: () => string | undefined,
  schema: IntrospectionQuery,
): Client {
  // What has no id lives within what it belongs to.
  const withoutId = schema.__schema.types.filter(
    (type) => type.kind === 'OBJECT' && !type.fields.some(({ name }) => name === 'id'),
  );
  const cache = cacheExchange({
    schema,
    keys: {
      ...Object.fromEntries(withoutId.map(({ name }) => [name, () => null])),
      Viewer: () => 'me',
    },
    resolvers: { Viewer: { feeds: relayPagination() } },
    optimistic: {
      changeFeedStatus: ({ input }, store) => {
        const { feedId, status } = input as { feedId: string; status: string };
        const feed = { __typename: 'Feed', id: feedId };
        return {
          __typename: 'ChangeFeedStatusPayload',
          feed: { ...feed, status, version: store.resolve(feed, 'version') as number },
        };
      },
    },
  });
  const session = (): Record<string, string> => {
    const header = token();
    return header === undefined ? {} : { 'X-service-csrf-token-X': header };
  };
  const subscribe = createEvents(url, session);
  const subscriptions = subscriptionExchange({
    forwardSubscription: ({ query = '', variables = {} }) => ({
      subscribe: (sink) => ({
        unsubscribe: subscribe({ query, variables }, sink as Parameters<typeof subscribe>[1]),
      }),
    }),
  });
  return new Client({
    url,
    preferGetMethod: false,
    fetchOptions: () => ({ headers: session() }),
    exchanges: [cache, fetchExchange, subscriptions],
  });
}
