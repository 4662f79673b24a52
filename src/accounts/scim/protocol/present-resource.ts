import { withETag } from '../../../core/rest/etag.ts';
import type { RestReply, RestRequest } from '../../../core/rest/route.ts';
import { LIST_SCHEMA } from './list-shape.ts';
import type { Listed } from './list-request.ts';
import { SCIM_JSON } from './present-scim-error.ts';
import { selectAttributes, type Selection } from './select-attributes.ts';

/** A page of resources (RFC 7644, 3.4.2). */
export function presentList<Row>(
  { total, rows }: Listed<Row>,
  page: Selection & {
    startIndex: number;
    resource: (row: Row) => Record<string, unknown>;
  },
): RestReply {
  const { startIndex, resource } = page;
  const body = {
    schemas: [LIST_SCHEMA],
    totalResults: total,
    startIndex,
    itemsPerPage: rows.length,
    Resources: rows.map((row) => selectAttributes(resource(row), page)),
  };
  return { headers: { 'content-type': SCIM_JSON }, body: JSON.stringify(body) };
}

/** The header that answers with one resource have. */
export const ETAG = { ETag: 'The version, to be sent back as If-Match or If-None-Match.' };

/** One resource, with its version as ETag; 304 when the client already has it. */
export function presentResource(
  request: Pick<RestRequest, 'headers'> | undefined,
  resource: Record<string, unknown>,
  selection: Selection,
): RestReply {
  const { version } = Object(resource['meta']) as { version?: string };
  const body = JSON.stringify(selectAttributes(resource, selection));
  const reply = { headers: { 'content-type': SCIM_JSON }, body };
  if (version === undefined) return reply;
  return request
    ? withETag(request, reply, version)
    : { ...reply, headers: { ...reply.headers, etag: version } };
}

/** A new resource, with its address. */
export function presentCreated(resource: Record<string, unknown>, selection: Selection): RestReply {
  const { location = '' } = Object(resource['meta']) as { location?: string };
  const reply = presentResource(undefined, resource, selection);
  return { ...reply, status: 201, headers: { ...reply.headers, location } };
}

/** The answer to what leaves nothing to show. */
export const NO_CONTENT: RestReply = {
  status: 204,
  headers: { 'content-type': SCIM_JSON },
  body: '',
};
