import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';

/** Refuses requests whose parts can't be read, such as `variables=[` of a GET or a form, or the `map` of a multipart request: Yoga's own parsers let the error of JSON.parse out. */
export function refuseBrokenRequests(): Plugin {
  return {
    onRequestParse({ requestParser, setRequestParser }) {
      if (!requestParser) return;
      setRequestParser(async (request) => {
        try {
          const params: unknown = await requestParser(request);
          if (isParams(params)) return params;
        } catch (error) {
          if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
        }
        throw broken();
      });
    },
  };
}

function isParams(params: unknown): params is GraphQLParams {
  return typeof params === 'object' && params !== null;
}

function broken(): GraphQLError {
  return new GraphQLError('A part of the request is not the JSON that it should be', {
    extensions: { code: 'BAD_REQUEST', http: { spec: true, status: 400 } },
  });
}
