/** Documents for urql and Apollo: pass them to `gql` of either, or let graphql-codegen type them. */
export const FEEDS = /* GraphQL */ `
  query Feeds($first: Int, $after: Cursor, $last: Int, $before: Cursor) {
    viewer {
      feeds(first: $first, after: $after, last: $last, before: $before) {
        changeCursor
        edges {
          cursor
          node { id feedKey feedTitle status version }
        }
        pageInfo { hasNextPage endCursor hasPreviousPage startCursor }
      }
    }
  }
`;

export const FEED = /* GraphQL */ `
  query Feed($id: ID!) {
    node(id: $id) {
      id
      ... on Feed { feedTitle status version }
    }
  }
`;

export const CHANGE_STATUS = /* GraphQL */ `
  mutation ChangeStatus($input: ChangeFeedStatusInput!) {
    changeFeedStatus(input: $input) {
      ... on ChangeFeedStatusPayload {
        feed { id status version }
      }
      ... on UserError { code message }
    }
  }
`;

export const FEED_CHANGED = /* GraphQL */ `
  subscription FeedChanged($after: ChangeCursor) {
    feedChanged(after: $after) {
      __typename
      ... on FeedUpserted {
        cursor
        feed { id feedKey feedTitle status version }
      }
      ... on FeedRemoved { cursor feedId }
      ... on FeedStreamEnded { cursor }
    }
  }
`;

export const SIGN_IN = /* GraphQL */ `
  mutation SignIn($input: SignInInput!) {
    signIn(input: $input) { token }
  }
`;
