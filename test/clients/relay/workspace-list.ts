import { graphql } from 'relay-runtime';

export const WorkspaceList = graphql`
  query workspaceListQuery {
    viewer {
      workspaces(first: 50) @connection(key: "workspaceList_workspaces") {
        __id
        edges {
          node { id name }
        }
      }
    }
  }
`;

/** `connections` are the `__id`s of the lists that get the new workspace at their end. */
export const CreateWorkspace = graphql`
  mutation workspaceListCreateMutation($input: CreateWorkspaceInput!, $connections: [ID!]!) {
    createWorkspace(input: $input) {
      ... on CreateWorkspacePayload {
        workspaceEdge @appendEdge(connections: $connections) {
          node { id name }
        }
      }
      ... on UserError { code message }
    }
  }
`;

export const DeleteWorkspace = graphql`
  mutation workspaceListDeleteMutation($input: DeleteWorkspaceInput!, $connections: [ID!]!) {
    deleteWorkspace(input: $input) {
      ... on DeletePayload {
        deletedId @deleteEdge(connections: $connections)
      }
      ... on UserError { code message }
    }
  }
`;
