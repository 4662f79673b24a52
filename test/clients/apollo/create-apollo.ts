import {
  ApolloClient,
  ApolloLink,
  HttpLink,
  InMemoryCache,
  Observable,
  type PossibleTypesMap,
} from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import { relayStylePagination } from '@apollo/client/utilities';
import { OperationTypeNode, print } from 'graphql';
import { createEvents } from '../create-events.ts';

/** An Apollo client. `possibleTypes`: what find-possible-types.ts makes of schema.graphql. */
export function createApollo(
  url: string,
  token: () => string | undefined,
  possibleTypes: PossibleTypesMap,
): ApolloClient {
  const session = (): Record<string, string> => {
    const header = token();
    return header === undefined ? {} : { 'X-service-csrf-token-X': header };
  };
  const http = new SetContextLink(({ headers }) => ({
    headers: { ...headers, ...session() },
  })).concat(new HttpLink({ uri: url }));
  const subscribe = createEvents(url, session);
  const sse = new ApolloLink(
    ({ query, operationName, variables }) =>
      new Observable((sink) =>
        subscribe(
          { query: print(query), operationName: operationName ?? '', variables },
          sink as Parameters<typeof subscribe>[1],
        ),
      ),
  );
  const cache = new InMemoryCache({
    possibleTypes,
    typePolicies: {
      // One viewer for each session, whatever leads to it.
      Viewer: {
        keyFields: [],
        fields: { feeds: relayStylePagination(['filter', 'filterId', 'orderBy']) },
      },
    },
  });
  return new ApolloClient({
    cache,
    link: ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      sse,
      http,
    ),
  });
}
