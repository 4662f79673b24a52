import { requireScimClient } from '../../../auth/guards.ts';
import type { Context } from '../../../core/context/context.ts';
import { AppError, NotFoundError } from '../../../core/errors.ts';
import { ENTERPRISE_SCHEMA, GROUP_SCHEMA, USER_SCHEMA } from '../protocol/attribute-path.ts';
import { MAX_COUNT } from '../protocol/scim-parameters.ts';
import { schemas } from './schemas.ts';

const meta = (ctx: Context, resourceType: string, path: string) => ({
  resourceType,
  location: `${ctx.baseUrl}/scim/v2/${path}`,
});

/** What of SCIM is supported. REST `GET /scim/v2/ServiceProviderConfig`. Throws E202, 403 for a filter. */
export function describeScim(ctx: Context, args: { filter?: string | undefined }) {
  requireScimClient(ctx);
  refuseFilter(args);
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MAX_COUNT },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'SCIM token',
        description: 'A token of trivium scim-token create, as Authorization: Bearer.',
        primary: true,
      },
    ],
    meta: meta(ctx, 'ServiceProviderConfig', 'ServiceProviderConfig'),
  };
}

/** The schemas. REST `GET /scim/v2/Schemas`, and `/{id}`, which picks by oneOf. Throws E202, 403 for a filter. */
export function listScimSchemas(ctx: Context, args: { filter?: string | undefined }) {
  requireScimClient(ctx);
  refuseFilter(args);
  return schemas.map((schema) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    ...schema,
    meta: meta(ctx, 'Schema', `Schemas/${schema.id}`),
  }));
}

/**
 * The types of resources. REST `GET /scim/v2/ResourceTypes`, and `/{id}`, which picks by oneOf. Throws E202, 403 for a
 * filter.
 */
export function listScimResourceTypes(ctx: Context, args: { filter?: string | undefined }) {
  requireScimClient(ctx);
  refuseFilter(args);
  const extension = { schema: ENTERPRISE_SCHEMA, required: false };
  return [
    { ...type('User', USER_SCHEMA), schemaExtensions: [extension] },
    { ...type('Group', GROUP_SCHEMA), schemaExtensions: [] },
  ].map((one) => ({ ...one, meta: meta(ctx, 'ResourceType', `ResourceTypes/${one.id}`) }));
}

const type = (id: string, schema: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  id,
  name: id,
  endpoint: `/${id}s`,
  schema,
});

/** The one with this id. Throws NotFoundError. */
export function oneOf<Row extends { id: string }>(rows: readonly Row[], id: string): Row {
  const found = rows.find((row) => row.id.toLowerCase() === id.toLowerCase());
  if (!found) throw new NotFoundError('Resource');
  return found;
}

/** These few are never filtered (RFC 7644, 4). */
function refuseFilter({ filter }: { filter?: string | undefined }): void {
  if (filter === undefined) return;
  throw new AppError('E900', {
    status: 403,
    message: 'There is nothing to filter here',
    graphqlCode: 'FORBIDDEN',
  });
}
