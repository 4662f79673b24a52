import type { Route, RouteParameter } from '../../core/rest/route.ts';
import type { Operation } from './document.ts';
import type { JsonSchema, SchemaComponents } from './schema-components.ts';

/** The body of a route in OpenAPI. */
export function describeBody(
  { parameters, body }: Route,
  components: SchemaComponents,
): Operation['requestBody'] {
  const members = parameters.filter(
    ({ in: place }) => place === (body?.repeatsQuery ? 'query' : 'body'),
  );
  if (!body && members.length === 0) return undefined;
  const required = body?.repeatsQuery ? [] : members.filter((member) => member.required);
  const schema = body?.schema
    ? components.add(body.schema, 'request')
    : membersSchema(members, required);
  const example = body?.example ?? exampleOf(members);
  const content = Object.fromEntries(
    (body?.mediaTypes ?? ['application/json', 'application/x-www-form-urlencoded']).map(
      (mediaType) => [mediaType, { schema, ...(example !== undefined && { example }) }],
    ),
  );
  return { required: body?.schema !== undefined || required.length > 0, content };
}

function membersSchema(
  members: readonly RouteParameter[],
  required: readonly RouteParameter[],
): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(
      members.map(({ name, schema, description }) => [name, { ...schema, description }]),
    ),
    ...(required.length > 0 && { required: required.map(({ name }) => name) }),
  };
}

function exampleOf(members: readonly RouteParameter[]): object | undefined {
  const given = members.flatMap(({ name, example }) =>
    example === undefined ? [] : [[name, example] as const],
  );
  return given.length > 0 &&
    members.every(({ required, example }) => !required || example !== undefined)
    ? Object.fromEntries(given)
    : undefined;
}
