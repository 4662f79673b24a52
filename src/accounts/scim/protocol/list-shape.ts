import * as z from 'zod';

export const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** What SCIM says of a resource itself. */
export const metaShape = z.object({
  resourceType: z.string().optional(),
  location: z.string().optional(),
  version: z.string().describe('The ETag.').optional(),
});

/** A page of resources (RFC 7644, 3.4.2). */
export function listShape<Shape extends z.ZodType>(shape: Shape, id: string) {
  return z
    .object({
      schemas: z.array(z.string()),
      totalResults: z.int().min(0),
      startIndex: z.int().min(1),
      itemsPerPage: z.int().min(0),
      Resources: z.array(shape),
    })
    .meta({ id, description: 'A page: RFC 7644, 3.4.2.' });
}

/** A page of one resource. */
export function listExample<Resource>(resource: Resource) {
  return {
    schemas: [LIST_SCHEMA],
    totalResults: 1,
    startIndex: 1,
    itemsPerPage: 1,
    Resources: [resource],
  };
}
