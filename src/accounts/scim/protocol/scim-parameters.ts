import * as z from 'zod';
import type { Context } from '../../../core/context/context.ts';
import { describeParameters } from '../../../core/rest/describe-parameters.ts';
import { Fault, readBy } from '../../../core/rest/parameter-values.ts';
import { readInput } from '../../../core/rest/read-input.ts';
import { parameter, type RequestSchema } from '../../../core/rest/request-schema.ts';
import type { RestReply, RestRequest, RouteBody, ScimRoute } from '../../../core/rest/route.ts';
import { patchShape } from './read-patch.ts';
import { scimError } from './scim-error.ts';
import { readNames, type Named } from './select-attributes.ts';

/** Most resources of a page. */
export const MAX_COUNT = 200;
const DEFAULT_COUNT = 100;
const MAX_INDEX = 2_147_483_647;

/** An integer within bounds; one beyond them counts as the bound (RFC 7644, 3.4.2.4). */
const integer = (minimum: number, maximum: number, preset: number): z.ZodType<number> =>
  readBy(
    (value) =>
      typeof value !== 'string' || value === ''
        ? preset
        : /^[+-]?\d{1,18}$/.test(value)
          ? Math.min(Math.max(Number(value), minimum), maximum)
          : new Fault('must be an integer'),
    { type: 'integer', minimum, maximum, default: preset },
  );

const names = (): z.ZodType<Named | undefined> =>
  readBy((value) => (typeof value === 'string' && value !== '' ? readNames(value) : undefined));
const text = (): z.ZodType<string | undefined> =>
  readBy((value) => (typeof value === 'string' ? value : undefined));

const selection = {
  attributes: parameter(names(), {
    in: 'query',
    description: 'Comma list of the attributes to return; `id` always is.',
    example: 'displayName',
  }),
  excludedAttributes: parameter(names(), {
    in: 'query',
    description: 'Comma list of attributes to leave out.',
    example: 'meta',
  }),
};

const ifMatch = parameter(text(), {
  in: 'header',
  description: 'Writes only if the resource still has this version; else 412.',
});

const userId = parameter(text(), {
  in: 'path',
  required: true,
  description: 'Id of the user.',
  example: '7',
});

const groupId = parameter(text(), {
  in: 'path',
  required: true,
  description: 'Id of the group.',
  example: '3',
});

const filter = (example: string): z.ZodType<string | undefined> =>
  parameter(text(), {
    in: 'query',
    description:
      'RFC 7644, 3.4.2.2: eq, co, sw, ew and pr, joined by and, or and brackets; up to 2,000 characters.',
    example,
  });

const page = {
  startIndex: parameter(integer(1, MAX_INDEX, 1), {
    in: 'query',
    description: 'Place of the first resource of the page, from 1.',
  }),
  count: parameter(integer(0, MAX_COUNT, DEFAULT_COUNT), {
    in: 'query',
    description: 'Most resources of the page; 0 asks for `totalResults` only.',
  }),
};

/** Parameters of a list. */
export const userListParameters = z.object({
  filter: filter('userName eq "mia@acme.example"'),
  ...page,
  ...selection,
});
export const groupListParameters = z.object({
  filter: filter('displayName eq "Bakery"'),
  ...page,
  ...selection,
});

/** Parameters of what reads or creates one resource. */
export const userParameters = z.object({ userId, ...selection });
export const groupParameters = z.object({ groupId, ...selection });
export const newParameters = z.object({ ...selection });

/** Parameters of what changes one resource. */
export const userChangeParameters = z.object({ userId, 'If-Match': ifMatch, ...selection });
export const groupChangeParameters = z.object({ groupId, 'If-Match': ifMatch, ...selection });
export const userDeletionParameters = z.object({ userId, 'If-Match': ifMatch });
export const groupDeletionParameters = z.object({ groupId, 'If-Match': ifMatch });

/** A body that a directory sends. */
export function scimBody(schema: z.ZodType, example: unknown): RouteBody {
  return { mediaTypes: ['application/scim+json', 'application/json'], schema, example };
}

/** The body of a PATCH, with one operation as an example. */
export function patchBody(example: object): RouteBody {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
  return scimBody(patchShape, { schemas, Operations: [example] });
}

/** Makes a route of SCIM, whose parameters are read by the schema that describes them. */
export function scimRoute<Schema extends RequestSchema>({
  request: schema,
  run,
  ...route
}: Omit<ScimRoute, 'family' | 'auth' | 'parameters' | 'run'> & {
  request: Schema;
  run: (
    ctx: Context,
    values: z.output<Schema>,
    request: RestRequest,
  ) => RestReply | Promise<RestReply>;
}): ScimRoute {
  return {
    ...route,
    family: 'scim',
    auth: 'scim',
    parameters: describeParameters(schema),
    run: async (ctx, request) => run(ctx, (await readInput(request, schema)).values, request),
  };
}

/** The JSON of a request. Throws invalidSyntax where there is none. */
export async function readJson(request: RestRequest): Promise<unknown> {
  const body = await request.body();
  if (body.kind === 'json') return body.json;
  throw scimError('INVALID_SYNTAX', 'The body must be a JSON object');
}
