import * as z from 'zod';
import type { Route, RouteAnswer, RouteParameter } from '../../core/rest/route.ts';
import { deprecations } from '../routes/deprecations.ts';
import type { Answer, Content, Header, Operation, Parameter, Reference } from './document.ts';
import { describeErrors, noDataShapes } from './describe-errors.ts';
import { mediaTypeOf } from './media-type-of.ts';
import type { SchemaComponents } from './schema-components.ts';
import { describeBody } from './describe-body.ts';

/** The operation of a route in the OpenAPI document. */
export function describeRoute(route: Route, tag: string, components: SchemaComponents): Operation {
  const deprecation = deprecations[route.path];
  const requestBody = describeBody(route, components);
  return {
    operationId: route.operation,
    summary: route.summary,
    ...(deprecation && {
      deprecated: true,
      description: `Deprecated since ${deprecation.since}; served until ${deprecation.sunset} at least. Use ${deprecation.successor}.`,
    }),
    tags: [tag],
    security: securityOf(route),
    parameters: [
      ...route.parameters
        .filter((parameter) => parameter.in !== 'body')
        .map((parameter) => describeParameter(parameter, route)),
      ...commonHeaders(route),
    ],
    ...(requestBody && { requestBody }),
    responses: { ...describeAnswer(route, components), ...describeErrors(route, components) },
  };
}

/** The ways in which callers of a family can authenticate. */
function securityOf({ auth }: Route): Record<string, never[]>[] {
  if (auth === 'none') return [];
  if (auth === 'scim') return [{ scim: [] }];
  if (auth === 'customer') return [{ apiKey: [], customerId: [] }];
  return [{ session: [] }, { bearer: [] }];
}

function describeParameter(
  { in: place, name, description, required, schema, example }: RouteParameter,
  route: Route,
): Parameter {
  const elsewhere = required && route.body?.repeatsQuery;
  return {
    name,
    in: place,
    description: elsewhere ? `${description} Required, here or in the body.` : description,
    ...(required && !elsewhere && { required }),
    schema,
    ...(example !== undefined && { example }),
  };
}

/** Does it ignore unusable values and say so (P8)? A route whose path holds all its parameters has none. */
function isLenient({ family, parameters }: Route): boolean {
  return (
    family !== 'scim' &&
    (parameters.length === 0 || parameters.some((parameter) => parameter.in !== 'path'))
  );
}

/** Does it support X-Explain? Not where a secret would be returned, nor where there is no translation. */
function isExplained(route: Route): boolean {
  return route.auth !== 'none' && route.explain !== undefined;
}

/** Headers that many paths read. */
function commonHeaders(route: Route): Reference[] {
  return [...(isLenient(route) ? ['Prefer'] : []), ...(isExplained(route) ? ['Explain'] : [])].map(
    (name) => ({ $ref: `#/components/parameters/${name}` }),
  );
}

function describeAnswer(route: Route, components: SchemaComponents): Record<string, Answer> {
  const { answer, noDataKey } = route;
  const headers = headersOf(route);
  const file = Object.fromEntries(
    (answer.mediaTypes ?? []).map((mediaType) => [
      mediaType,
      { schema: mediaType.startsWith('text/') ? { type: 'string' } : {} },
    ]),
  );
  const content = answer.schema
    ? { [mediaTypeOf(route)]: jsonContent(answer, answer.schema, noDataKey, components) }
    : file;
  return {
    [answer.status ?? 200]: {
      description: noDataKey
        ? 'The answer; or, with status ER, that there is none.'
        : 'The answer.',
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(answer.status !== 204 && { content }),
    },
    ...(answer.ranges && {
      '206': { description: 'The part that was asked for.', headers, content },
    }),
    ...(answer.conditional && { '304': { description: 'The client has it already.' } }),
    ...(answer.ranges && { '416': { description: 'There is no such part.' } }),
  };
}

function jsonContent(
  { example }: RouteAnswer,
  schema: z.ZodType,
  noDataKey: Route['noDataKey'],
  components: SchemaComponents,
): Content[string] {
  if (!noDataKey) return { schema: components.add(schema), example };
  const nothing = noDataShapes[noDataKey];
  return {
    schema: components.add(z.union([schema, nothing])),
    examples: {
      data: { summary: 'Something is there.', value: example },
      noData: {
        summary: 'Nothing is there.',
        value: { status: 'ER', [noDataKey]: 'E404', response: 'No data found' },
      },
    },
  };
}

function headersOf(route: Route): Record<string, Header | Reference> {
  const { answer, path } = route;
  const text = (description: string): Header => ({ description, schema: { type: 'string' } });
  return {
    ...(isLenient(route) && {
      'X-Ignored-Parameters': { $ref: '#/components/headers/IgnoredParameters' },
    }),
    ...(deprecations[path] && {
      Deprecation: { $ref: '#/components/headers/Deprecation' },
      Sunset: { $ref: '#/components/headers/Sunset' },
    }),
    ...((deprecations[path] ?? isExplained(route)) && {
      Link: { $ref: '#/components/headers/Link' },
    }),
    ...(isExplained(route) && {
      'X-GraphQL-Operation': { $ref: '#/components/headers/GraphQLOperation' },
      'X-GraphQL-Variables': { $ref: '#/components/headers/GraphQLVariables' },
    }),
    ...(answer.conditional && { ETag: text('To be sent back as If-None-Match.') }),
    ...Object.fromEntries(
      Object.entries(answer.headers ?? {}).map(([name, description]) => [name, text(description)]),
    ),
  };
}
