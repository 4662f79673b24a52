import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { breakingChanges } from '../../scripts/breaking-changes.ts';

const released = 'type Query { color: String shape(size: Int): String! }';
const removed = 'FIELD_REMOVED: Query.color was removed.';

it('lets additions through', () => {
  expect(
    breakingChanges(
      released,
      'type Query { color: String! shape(size: Int, depth: Int): String! weight: Int }',
      {},
    ),
  ).toEqual([]);
});

it('names what breaks a client', () => {
  expect(breakingChanges(released, 'type Query { shape(size: Int!): String }', {})).toEqual([
    removed,
    'ARG_CHANGED_KIND: Query.shape arg size has changed type from Int to Int!.',
    'FIELD_CHANGED_KIND: Query.shape changed type from String! to String.',
  ]);
});

it('lets through what is allowed with a reason, and nothing else', () => {
  const current = 'type Query { shape(size: Int): String! }';
  expect(
    breakingChanges(released, current, { [removed]: 'Nobody read it: 30 days of logs.' }),
  ).toEqual([]);
  expect(breakingChanges(released, current, { [removed]: ' ' })).toEqual([
    `allowed without a reason: ${removed}`,
  ]);
  expect(breakingChanges(released, released, { [removed]: 'Nobody read it.' })).toEqual([
    `allowed, but not a change: ${removed}`,
  ]);
});

it('would notice a field that is taken from the schema as it is', () => {
  const current = readFileSync('schema.graphql', 'utf8');
  expect(
    breakingChanges(current, current.replace(/^  feedTitle: String!$/m, '  heading: String!'), {}),
  ).toEqual(['FIELD_REMOVED: Feed.feedTitle was removed.']);
});
