import * as z from 'zod';
import { GROUP_SCHEMA } from '../protocol/attribute-path.ts';
import { listShape, metaShape } from '../protocol/list-shape.ts';

/** A group as SCIM shows it; with `attributes`, less of it. */
export const groupShape = z
  .object({
    schemas: z.array(z.string()),
    id: z.string(),
    externalId: z.string().optional(),
    displayName: z.string().describe('Name of the department.').optional(),
    members: z
      .array(
        z.object({
          value: z.string().describe('Id of the user.').optional(),
          $ref: z.string().optional(),
          display: z.string().optional(),
          type: z.literal('User').optional(),
        }),
      )
      .optional(),
    meta: metaShape.optional(),
  })
  .meta({ id: 'ScimGroup', description: 'A department: RFC 7643, 4.2.' });

export const groupExample = {
  schemas: [GROUP_SCHEMA],
  id: '3',
  displayName: 'Bakery',
  members: [
    {
      value: '7',
      display: 'Mia Lang',
      type: 'User' as const,
    },
  ],
  meta: { resourceType: 'Group', location: 'https://trivium.example/scim/v2/Groups/3' },
};

/** A group as a directory sends it. */
export const groupBody = z
  .looseObject({
    displayName: z.string(),
    members: z.array(z.looseObject({ value: z.string() })).optional(),
  })
  .meta({ id: 'ScimGroupInput', description: 'A department: RFC 7643, 4.2.' });

export const groupBodyExample = {
  schemas: [GROUP_SCHEMA],
  displayName: 'Bakery',
  members: [{ value: '7' }],
};

export const groupsShape = listShape(groupShape, 'ScimGroupList');
