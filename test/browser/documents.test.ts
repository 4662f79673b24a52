import { parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import * as documents from '../../src/browser/page/documents.ts';
import { schema } from '../../src/server/graphql/schema/schema.ts';

it.each(Object.entries(documents))('%s of the pages fits the schema', (_, document) => {
  expect(validate(schema, parse(document))).toEqual([]);
});
