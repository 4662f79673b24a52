import { GraphQLError } from 'graphql';

/** The error of a request that is refused: with 400 where the media type of its answer has statuses (GraphQL over HTTP). */
export function refusal(message: string, code: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { spec: true, status: 400 } } });
}
