import * as z from 'zod';
import { unsupportedMediaType, ValidationError } from '../core/errors.ts';
import { type Input, readInput } from '../core/rest/read-input.ts';
import type { RequestFacts, RouteParameter } from '../core/rest/route.ts';

export const idempotencyKey: RouteParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description: 'Repeating the request with the same key makes nothing twice.',
  example: 'order-4711',
};

const nothing = z.object({});

/** Reads the query, which has no parameters on these paths: what is there is ignored, or refused (P8). */
export function readQuery(request: RequestFacts): Promise<Input<object>> {
  return readInput(request, nothing, {
    body: () => Promise.resolve([]),
    refuse: (problems) =>
      new ValidationError(problems.map((problem) => ({ ...problem, code: 'UNKNOWN_FIELD' }))),
  });
}

/** The JSON body of a request; undefined when there is none. Throws E903 (415) for another media type. */
export async function readJson(request: RequestFacts): Promise<unknown> {
  const mediaType = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') throw unsupportedMediaType('Send application/json');
  const body = await request.body();
  return body.kind === 'json' ? body.json : undefined;
}

/** The header `Idempotency-Key`. */
export function idempotencyKeyOf(request: RequestFacts): string | undefined {
  const key = request.headers['idempotency-key'];
  return typeof key === 'string' ? key : undefined;
}
