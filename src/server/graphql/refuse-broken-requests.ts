import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { AppError } from '../../core/errors.ts';
import { checkEscapes, decodeBody, tooLarge } from '../http/read-body.ts';
import { refusal } from './limits/refusal.ts';

/** Parts that a multipart request may have: files, and fields. */
export const MOST_PARTS = 50;

/**
 * Refuses requests with malformed parts, such as `variables=[` in a GET or a form, or the `map` of a multipart request:
 * Yoga's own parsers would throw the error of JSON.parse, a TypeError for a `map` of another shape, or one for a body
 * `{"then":1}`, which they take for a promise. A body that turns out to be too large gets the error of all others. What
 * else is thrown is a failure of ours.
 */
export function refuseBrokenRequests(): Plugin {
  return {
    onRequestParse({ requestParser, setRequestParser }) {
      if (!requestParser) return;
      setRequestParser(async (request) => {
        try {
          const params: unknown = await requestParser(await decoded(request));
          if (isParams(params)) return params;
        } catch (error) {
          if (isTooLarge(error)) throw tooLarge();
          if (error instanceof AppError) throw withStatus(error);
          if (hasTooManyParts(error))
            throw refusal(`A multipart request has at most ${MOST_PARTS} parts`, 'BAD_REQUEST');
          if (!isParseFailure(error, request)) throw error;
        }
        throw refusal('The request, or a part of it, is not valid JSON', 'BAD_REQUEST');
      });
    },
  };
}

/**
 * A request whose text is decoded, unless it is a multipart form, has no body, or came by the lean transport, which has
 * done it: Yoga would write U+FFFD in place of what is not valid UTF-8.
 */
async function decoded(request: Request): Promise<Request> {
  const type = request.headers.get('content-type') ?? '';
  if (request.method !== 'POST' || !('text' in request) || type.startsWith('multipart/form-data'))
    return request;
  const text = decodeBody(new Uint8Array(await request.arrayBuffer()));
  if (type.startsWith('application/x-www-form-urlencoded')) checkEscapes(text);
  const read: Pick<Request, 'text' | 'json'> = {
    text: () => Promise.resolve(text),
    json: () => Promise.resolve().then(() => JSON.parse(text) as unknown),
  };
  return read as Request;
}

/** With its status even if that is 400: nothing has run. */
function withStatus({ message, graphqlCode, code, status }: AppError): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code: graphqlCode, legacyCode: code, http: { status } },
  });
}

function isParseFailure(error: unknown, request: Request): boolean {
  return (
    error instanceof SyntaxError ||
    (error instanceof TypeError &&
      (error.message.endsWith('.then is not a function') ||
        request.headers.get('content-type')?.startsWith('multipart/form-data') === true))
  );
}

/** Of a body without Content-Length; Yoga puts words before the message where it is a multipart form. */
function isTooLarge(error: unknown): boolean {
  return error instanceof Error && error.message.endsWith('Request body too large');
}

function hasTooManyParts(error: unknown): boolean {
  return error instanceof Error && error.message.includes('Parts limit exceeded');
}

function isParams(params: unknown): params is GraphQLParams {
  return typeof params === 'object' && params !== null;
}
