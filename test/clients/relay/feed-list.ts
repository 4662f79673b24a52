import { graphql } from 'relay-runtime';

/** A list that is read forward with `first`, `after` and backward with `last`, `before`: usePaginationFragment takes it as it is. */
export const FeedList = graphql`
  fragment feedList_viewer on Viewer
  @refetchable(queryName: "feedListPageQuery")
  @argumentDefinitions(first: { type: "Int" }, after: { type: "Cursor" }, last: { type: "Int" }, before: { type: "Cursor" }) {
    feeds(first: $first, after: $after, last: $last, before: $before) @connection(key: "feedList_feeds") {
      changeCursor
      edges {
        node { id feedKey feedTitle status version }
      }
      pageInfo { hasNextPage endCursor hasPreviousPage startCursor }
    }
  }
`;

export const FeedListQuery = graphql`
  query feedListQuery($first: Int, $last: Int) {
    viewer {
      ...feedList_viewer @arguments(first: $first, last: $last)
    }
  }
`;

export const FeedQuery = graphql`
  query feedListNodeQuery($id: ID!) {
    node(id: $id) {
      ... on Feed { feedTitle status version }
    }
  }
`;

/** What the gateway refuses is a member of the union: Relay takes the optimistic status back by itself. Named one by one, for Relay wants the fields of an interface in optimistic answers. */
export const ChangeStatus = graphql`
  mutation feedListStatusMutation($input: ChangeFeedStatusInput!) @raw_response_type {
    changeFeedStatus(input: $input) {
      __typename
      ... on ChangeFeedStatusPayload {
        feed { id status version }
      }
      ... on ConflictError { message }
      ... on InvalidTransitionError { message }
    }
  }
`;

/** Feeds that change elsewhere change in the store. */
export const FeedChanged = graphql`
  subscription feedListChangedSubscription($after: ChangeCursor) {
    feedChanged(after: $after) {
      __typename
      ... on FeedUpserted {
        cursor
        feed { id feedTitle status version }
      }
      ... on FeedRemoved {
        cursor
        feedId @deleteRecord
      }
      ... on FeedStreamEnded {
        cursor
      }
    }
  }
`;
