import { ENTERPRISE_SCHEMA, GROUP_SCHEMA, USER_SCHEMA } from '../protocol/attribute-path.ts';

/** An attribute of a schema (RFC 7643, 7). */
interface Attribute {
  name: string;
  type: 'string' | 'boolean' | 'complex' | 'reference';
  multiValued: boolean;
  /** Of a reference: the types of what it leads to. */
  referenceTypes?: string[];
  description: string;
  required: boolean;
  caseExact: boolean;
  mutability: 'readOnly' | 'readWrite';
  returned: 'default' | 'always';
  uniqueness: 'none' | 'server';
  subAttributes?: Attribute[];
}

function attribute(name: string, description: string, more: Partial<Attribute> = {}): Attribute {
  return {
    ...{ name, type: 'string', multiValued: false, description, required: false },
    ...{ caseExact: false, mutability: 'readWrite', returned: 'default', uniqueness: 'none' },
    ...more,
  };
}

const readOnly = { mutability: 'readOnly' } as const;
const reference = (to: 'User' | 'Group'): Attribute =>
  attribute('$ref', 'Its address.', {
    ...readOnly,
    type: 'reference',
    referenceTypes: [to],
    caseExact: true,
  });

/** The schemas, without their addresses, and without what all resources have: id, externalId, meta (RFC 7643, 3.1). */
export const schemas = [
  {
    id: USER_SCHEMA,
    name: 'User',
    description: 'A user of the domain.',
    attributes: [
      attribute('userName', 'The login, kept in lower case; unique over all domains.', {
        required: true,
        uniqueness: 'server',
      }),
      attribute('displayName', 'Name for display; by default made of the other names.'),
      attribute('name', 'The parts of the name.', {
        type: 'complex',
        subAttributes: [
          attribute('formatted', 'The name for display.'),
          attribute('givenName', 'First name.'),
          attribute('familyName', 'Last name.'),
        ],
      }),
      attribute('emails', 'One address, that for work.', {
        type: 'complex',
        multiValued: true,
        subAttributes: [
          attribute('value', 'The address.'),
          attribute('type', 'work.'),
          attribute('primary', 'True.', { type: 'boolean' }),
        ],
      }),
      attribute('active', 'False: disabled; sessions and subscriptions have ended.', {
        type: 'boolean',
      }),
      attribute('locale', 'Language, e.g. en.'),
      attribute('timezone', 'IANA time zone; without one that of the unit.'),
      attribute('groups', 'The departments.', {
        ...readOnly,
        type: 'complex',
        multiValued: true,
        subAttributes: [
          attribute('value', 'Id of the department.', readOnly),
          reference('Group'),
          attribute('display', 'Name of the department.', readOnly),
          attribute('type', 'direct.', readOnly),
        ],
      }),
    ],
  },
  {
    id: ENTERPRISE_SCHEMA,
    name: 'EnterpriseUser',
    description: 'The place of a user.',
    attributes: [attribute('department', 'Name of a unit of the domain.')],
  },
  {
    id: GROUP_SCHEMA,
    name: 'Group',
    description: 'A department of the domain.',
    attributes: [
      attribute('displayName', 'Name of the department; unique in the domain.', {
        required: true,
        uniqueness: 'server',
      }),
      attribute('members', 'The users in it.', {
        type: 'complex',
        multiValued: true,
        subAttributes: [
          attribute('value', 'Id of the user.', { caseExact: true }),
          reference('User'),
          attribute('display', 'Name of the user.', readOnly),
          attribute('type', 'User.', readOnly),
        ],
      }),
    ],
  },
];
