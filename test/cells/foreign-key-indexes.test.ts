import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

// Deleting what is referred to reads the whole table otherwise, of every domain, for each row.
it('leads from every row to those that refer to it', async () => {
  const { rows } = await app.services.db.pool.query(
    `SELECT conrelid::regclass || '.' || (SELECT attname FROM pg_attribute WHERE attrelid = conrelid AND attnum = conkey[1]) AS column
     FROM pg_constraint c WHERE contype = 'f' AND confrelid <> 'domain'::regclass AND NOT EXISTS (
       SELECT FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indkey[0] = c.conkey[1] AND i.indisvalid
         AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) LIKE '(% IS NOT NULL)'))`,
  );
  expect(rows).toEqual([]);
});

// `domain import` looks at the first one: does it refer to a row of another domain?
it('refers to rows by one column', async () => {
  const { rows } = await app.services.db.pool.query(
    `SELECT conrelid::regclass || '.' || conname AS name FROM pg_constraint WHERE contype = 'f' AND cardinality(conkey) <> 1`,
  );
  expect(rows).toEqual([]);
});
