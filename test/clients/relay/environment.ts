import {
  Environment,
  Network,
  Observable,
  RecordSource,
  Store,
  type GraphQLResponse,
} from 'relay-runtime';
import { createEvents } from '../create-events.ts';

/** Queries and mutations by fetch, subscriptions over server-sent events, all with the session that `token` tells. */
export function createEnvironment(url: string, token: () => string | undefined): Environment {
  const session = (): Record<string, string> => {
    const header = token();
    return header === undefined ? {} : { 'X-service-csrf-token-X': header };
  };
  const subscribe = createEvents(url, session);
  const network = Network.create(
    async ({ text: query, name: operationName }, variables) => {
      const headers = {
        'Content-Type': 'application/json',
        Accept: 'application/graphql-response+json, application/json',
        ...session(),
      };
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query, operationName, variables }),
      });
      return (await response.json()) as GraphQLResponse;
    },
    ({ text, name: operationName }, variables) =>
      Observable.create((sink) =>
        subscribe(
          { query: text ?? '', operationName, variables },
          sink as Parameters<typeof subscribe>[1],
        ),
      ),
  );
  return new Environment({ network, store: new Store(new RecordSource()) });
}
