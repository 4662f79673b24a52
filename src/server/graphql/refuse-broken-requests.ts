import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { tooLarge } from '../http/read-body.ts';
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
          const params: unknown = await requestParser(request);
          if (isParams(params)) return params;
        } catch (error) {
          if (isTooLarge(error)) throw tooLarge();
          if (hasTooManyParts(error))
            throw refusal(`A multipart request has at most ${MOST_PARTS} parts`, 'BAD_REQUEST');
          if (!isParseFailure(error, request)) throw error;
        }
        throw refusal('The request, or a part of it, is not valid JSON', 'BAD_REQUEST');
      });
    },
  };
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
