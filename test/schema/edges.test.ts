import { getNamedType, isObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../src/server/graphql/schema/schema.ts';

it('edges lead to nodes, but those of items of calendars, which have their feed, of sessions and of what differs between versions, which nobody reads again by an id', () => {
  const below = Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) && type.name.endsWith('Edge'))
    .flatMap((type) => (isObjectType(type) ? (type.getFields()['node'] ?? []) : []))
    .map((field) => getNamedType(field.type))
    .filter(isObjectType);
  expect(below.length).toBeGreaterThan(5);
  const others = below.filter((type) => !type.getInterfaces().some(({ name }) => name === 'Node'));
  expect(others.map(({ name }) => name)).toEqual([
    'CalendarProject',
    'CalendarWalk',
    'Session',
    'VersionChange',
  ]);
});
