import * as z from 'zod';
import { parameter } from '../../../core/rest/request-schema.ts';
import { jsonAnswer, type RestReply, type ScimRoute } from '../../../core/rest/route.ts';
import { GROUP_SCHEMA } from '../protocol/attribute-path.ts';
import { listExample, listShape, metaShape } from '../protocol/list-shape.ts';
import { presentList } from '../protocol/present-resource.ts';
import { SCIM_JSON } from '../protocol/present-scim-error.ts';
import { scimRoute } from '../protocol/scim-parameters.ts';
import { describeScim, listScimResourceTypes, listScimSchemas, oneOf } from './describe-scim.ts';

const supported = z.object({ supported: z.boolean() });
const configShape = z
  .object({
    schemas: z.array(z.string()),
    patch: supported,
    bulk: supported.extend({ maxOperations: z.int(), maxPayloadSize: z.int() }),
    filter: supported.extend({ maxResults: z.int() }),
    changePassword: supported,
    sort: supported,
    etag: supported,
    authenticationSchemes: z.array(
      z.object({
        type: z.string(),
        name: z.string(),
        description: z.string(),
        primary: z.boolean(),
      }),
    ),
    meta: metaShape,
  })
  .meta({ id: 'ScimConfig', description: 'What is supported: RFC 7643, 5.' });

const schemaShape = z
  .object({
    schemas: z.array(z.string()),
    id: z.string(),
    name: z.string(),
    description: z.string(),
    attributes: z.array(z.looseObject({ name: z.string(), type: z.string() })),
    meta: metaShape,
  })
  .meta({ id: 'ScimSchema', description: 'A schema: RFC 7643, 7.' });

const schemaExample = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
  id: GROUP_SCHEMA,
  name: 'Group',
  description: 'A department of the domain.',
  attributes: [{ name: 'displayName', type: 'string' }],
  meta: { resourceType: 'Schema' },
};

const typeShape = z
  .object({
    schemas: z.array(z.string()),
    id: z.string(),
    name: z.string(),
    endpoint: z.string(),
    schema: z.string(),
    schemaExtensions: z.array(z.object({ schema: z.string(), required: z.boolean() })),
    meta: metaShape,
  })
  .meta({ id: 'ScimResourceType', description: 'A type of resources: RFC 7643, 6.' });

const typeExample = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  id: 'Group',
  name: 'Group',
  endpoint: '/Groups',
  schema: GROUP_SCHEMA,
  schemaExtensions: [],
  meta: { resourceType: 'ResourceType' },
};

const off = { supported: false };
const on = { supported: true };
const configExample = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: on,
  bulk: { ...off, maxOperations: 0, maxPayloadSize: 0 },
  filter: { ...on, maxResults: 200 },
  changePassword: off,
  sort: off,
  etag: on,
  authenticationSchemes: [],
  meta: { resourceType: 'ServiceProviderConfig' },
};

const noParameters = z.object({});
const idParameters = z.object({
  id: parameter(z.string(), { in: 'path', required: true, description: 'Its id.' }),
});

const reply = (resource: object): RestReply => ({
  headers: { 'content-type': SCIM_JSON },
  body: JSON.stringify(resource),
});

const list = (rows: readonly Record<string, unknown>[]): RestReply =>
  presentList({ total: rows.length, rows: [...rows] }, { startIndex: 1, resource: (row) => row });

const filterOf = ({ query }: { query: URLSearchParams }): { filter?: string | undefined } => ({
  filter: query.get('filter') ?? undefined,
});

export const scimDiscoveryRoutes: readonly ScimRoute[] = [
  scimRoute({
    method: 'GET',
    path: '/scim/v2/ServiceProviderConfig',
    operation: 'describeScim',
    summary: 'What of SCIM is supported.',
    request: noParameters,
    answer: jsonAnswer(configShape, configExample),
    run: (ctx, _, request) => reply(describeScim(ctx, filterOf(request))),
  }),
  scimRoute({
    method: 'GET',
    path: '/scim/v2/Schemas',
    operation: 'listScimSchemas',
    summary: 'The schemas of users and groups.',
    request: noParameters,
    answer: jsonAnswer(listShape(schemaShape, 'ScimSchemaList'), listExample(schemaExample)),
    run: (ctx, _, request) => list(listScimSchemas(ctx, filterOf(request))),
  }),
  scimRoute({
    method: 'GET',
    path: '/scim/v2/Schemas/{id}',
    operation: 'readScimSchema',
    summary: 'A schema.',
    request: idParameters,
    mayBeMissing: true,
    answer: jsonAnswer(schemaShape, schemaExample),
    run: (ctx, { id }, request) => reply(oneOf(listScimSchemas(ctx, filterOf(request)), id)),
  }),
  scimRoute({
    method: 'GET',
    path: '/scim/v2/ResourceTypes',
    operation: 'listScimResourceTypes',
    summary: 'The types of resources.',
    request: noParameters,
    answer: jsonAnswer(listShape(typeShape, 'ScimTypeList'), listExample(typeExample)),
    run: (ctx, _, request) => list(listScimResourceTypes(ctx, filterOf(request))),
  }),
  scimRoute({
    method: 'GET',
    path: '/scim/v2/ResourceTypes/{id}',
    operation: 'readScimResourceType',
    summary: 'A type of resources.',
    request: idParameters,
    mayBeMissing: true,
    answer: jsonAnswer(typeShape, typeExample),
    run: (ctx, { id }, request) => reply(oneOf(listScimResourceTypes(ctx, filterOf(request)), id)),
  }),
];
