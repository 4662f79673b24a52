import * as z from 'zod';
import { ENTERPRISE_SCHEMA, USER_SCHEMA } from '../protocol/attribute-path.ts';
import { listShape, metaShape } from '../protocol/list-shape.ts';

/** A user as SCIM shows it; with `attributes`, less of it. */
export const userShape = z
  .object({
    schemas: z.array(z.string()),
    id: z.string(),
    externalId: z.string().optional(),
    userName: z.string().describe('The login, in lower case.').optional(),
    displayName: z.string().optional(),
    name: z
      .object({
        formatted: z.string().optional(),
        givenName: z.string().optional(),
        familyName: z.string().optional(),
      })
      .optional(),
    emails: z
      .array(
        z.object({
          value: z.string().optional(),
          type: z.literal('work').optional(),
          primary: z.literal(true).optional(),
        }),
      )
      .optional(),
    active: z.boolean().describe('False: disabled.').optional(),
    locale: z.string().optional(),
    timezone: z.string().optional(),
    groups: z
      .array(
        z.object({
          value: z.string().optional(),
          $ref: z.string().optional(),
          display: z.string().optional(),
          type: z.literal('direct').optional(),
        }),
      )
      .describe('The departments.')
      .optional(),
    [ENTERPRISE_SCHEMA]: z
      .object({ department: z.string().describe('Name of the unit.').optional() })
      .optional(),
    meta: metaShape.optional(),
  })
  .meta({ id: 'ScimUser', description: 'A user: RFC 7643, 4.1.' });

export const userExample = {
  schemas: [USER_SCHEMA],
  id: '7',
  externalId: '00ub0oNGTSWTBKOLGLNR',
  userName: 'mia@acme.example',
  displayName: 'Mia Lang',
  name: { formatted: 'Mia Lang', givenName: 'Mia', familyName: 'Lang' },
  emails: [{ value: 'mia@acme.example', type: 'work' as const, primary: true as const }],
  active: true,
  locale: 'en',
  groups: [
    {
      value: '3',
      display: 'Bakery',
      type: 'direct' as const,
    },
  ],
  meta: {
    resourceType: 'User',
    location: 'https://trivium.example/scim/v2/Users/7',
    version: 'W/"Zb3Yq0cZ5l1x2jH5n1u8Qw"',
  },
};

/** A user as a directory sends it: any attribute of RFC 7643 may stand in it. */
export const userBody = z
  .looseObject({ userName: z.string(), active: z.boolean().optional() })
  .meta({ id: 'ScimUserInput', description: 'A user: RFC 7643, 4.1.' });

export const userBodyExample = {
  schemas: [USER_SCHEMA],
  userName: 'mia@acme.example',
  externalId: '00ub0oNGTSWTBKOLGLNR',
  name: { givenName: 'Mia', familyName: 'Lang' },
  emails: [{ value: 'mia@acme.example', type: 'work', primary: true }],
  active: true,
};

export const usersShape = listShape(userShape, 'ScimUserList');
