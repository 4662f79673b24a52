import * as z from 'zod';
import { errorCatalogue } from '../../core/error-catalogue.ts';
import { AppError, unsupportedMediaType } from '../../core/errors.ts';
import type { Route, RouteFamily } from '../../core/rest/route.ts';
import { datasetErrorCodes } from '../../dataset-management/envelope/error-codes.ts';
import { scimErrorShape } from '../../accounts/scim/protocol/present-scim-error.ts';
import { presentError } from '../http/present-error.ts';
import type { Answer, Content } from './document.ts';
import { mediaTypeOf } from './media-type-of.ts';
import type { SchemaComponents } from './schema-components.ts';

const keysOf = <Codes extends object>(codes: Codes): (keyof Codes & string)[] =>
  Object.keys(codes).filter((key): key is keyof Codes & string => Object.hasOwn(codes, key));

/** "No data", answered with 200, under both names of its code (D-01). */
const noData = (key: 'errorCode' | 'error_code', id: string): z.ZodType =>
  z
    .object({
      status: z.literal('ER'),
      [key]: z.literal('E404'),
      response: z.literal('No data found'),
    })
    .meta({ id, description: 'Nothing matches; answered with HTTP 200.' });

export const noDataShapes = {
  errorCode: noData('errorCode', 'NoData'),
  error_code: noData('error_code', 'CalendarNoData'),
};

/** The error body of each document. */
const shapes: Record<RouteFamily, z.ZodType> = {
  task: z
    .object({
      status: z.literal('ER'),
      errorCode: z.enum(keysOf(errorCatalogue)),
      response: z.string(),
    })
    .meta({
      id: 'TaskError',
      description:
        'The error body of the task execution paths; the code is in the header X-Error-Code too.',
    }),
  dataset: z
    .object({
      data: z.null(),
      errorMessage: z.string(),
      errorCodes: z.array(z.enum(keysOf(datasetErrorCodes))).min(1),
      isSuccess: z.literal(false),
    })
    .meta({
      id: 'FailureEnvelope',
      description: 'The error body of the dataset management paths.',
    }),
  tracker: z
    .object({
      type: z.string().describe('urn:trivium:… by which programs tell errors apart.'),
      title: z.string(),
      status: z.int(),
      detail: z.string(),
      errors: z.array(z.object({ field: z.string(), code: z.string(), message: z.string() })),
      requestId: z.string(),
    })
    .meta({ id: 'Problem', description: 'The error body of the task tracker paths: RFC 9457.' }),
  scim: scimErrorShape,
};

/** The error replies of a route, by status. */
export function describeErrors(route: Route, components: SchemaComponents): Record<string, Answer> {
  const { family, auth = 'session' } = route;
  const content = (error?: AppError): Content => ({
    [mediaTypeOf(route)]: {
      schema: components.add(shapes[family]),
      ...(error && { example: exampleOf(family, error) }),
    },
  });
  const headers: Answer['headers'] =
    family === 'task' ? { 'X-Error-Code': { $ref: '#/components/headers/ErrorCode' } } : {};
  const retry = { ...headers, 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };
  const answer = (description: string, error?: AppError, more = headers): Answer => ({
    description,
    headers: more,
    content: content(error),
  });
  const own = (route.errors ?? []).filter((code) => code !== 'E202');
  const badInput = ['Bad input.', ...own.map((code) => `${code}: ${meaning(code)}`)].join('\n\n');
  const limited = answer(
    'Too many requests.',
    new AppError('E902', { headers: { 'retry-after': '3' } }),
    retry,
  );
  return {
    '400': answer(badInput, new AppError('E900')),
    ...(auth !== 'none' || route.errors?.includes('E202')
      ? {
          '401': answer(
            auth === 'customer'
              ? 'API-Key and customerId are missing or not valid.'
              : auth === 'scim'
                ? 'The SCIM token is missing or not valid.'
                : 'Session token missing or invalid, or wrong password.',
            new AppError('E202'),
          ),
        }
      : {}),
    ...(route.mayBeMissing && {
      '404': answer(
        'There is nothing of that name, or nothing that you may see.',
        new AppError('E404', { status: 404 }),
      ),
    }),
    ...(family === 'tracker' &&
      route.method === 'POST' && {
        '409': answer(
          'The first request with this idempotency key is still running.',
          undefined,
          retry,
        ),
        '422': answer('This idempotency key came with another request before.'),
      }),
    ...(family === 'scim' && describeConflicts(route, answer)),
    '429': limited,
    // The envelope has 400 for both (D-60).
    ...(family !== 'dataset' &&
      /^P/.test(route.method) && {
        '413': answer('The body is too large.', new AppError('E903')),
        '415': answer(
          'The body is of another media type.',
          unsupportedMediaType('Send application/json'),
        ),
      }),
    '500': answer('Unexpected server error.', new AppError('E302')),
    '503': answer('Not now: try again.', undefined, retry),
  };
}

/** What stands against a write of SCIM. */
function describeConflicts(
  { method, parameters }: Route,
  answer: (description: string) => Answer,
): Record<string, Answer> {
  const isChange = method !== 'GET' && parameters.some((parameter) => parameter.in === 'path');
  return {
    ...(method === 'GET' && parameters.length === 0 && { '403': answer('It has no filter.') }),
    ...(/^P/.test(method) && { '409': answer('A name is taken.') }),
    ...(isChange && { '412': answer('It has changed since: see If-Match.') }),
  };
}

/** The body that the gateway itself would send. */
function exampleOf(family: RouteFamily, error: AppError): unknown {
  const { body } = presentError(family, error, '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d');
  return typeof body === 'string' ? JSON.parse(body) : undefined;
}

function meaning(code: string): string {
  const messages: Readonly<Record<string, string>> = {
    ...datasetErrorCodes,
    ...Object.fromEntries(
      Object.entries(errorCatalogue).map(([known, { message }]) => [known, message]),
    ),
  };
  const message = messages[code];
  if (message === undefined) throw new Error(`${code} is in no error catalogue`);
  return message;
}
