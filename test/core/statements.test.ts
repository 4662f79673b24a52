import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type pg from 'pg';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../src/core/database/db.ts';
import { Statement } from '../../src/core/sql/statement.ts';
import { freshDatabase } from '../support/app.ts';
import { describeStatement, type Described } from '../support/describe-statement.ts';
import { unconverted } from './unconverted.ts';

const src = fileURLToPath(new URL('../../src', import.meta.url));
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.startsWith('generated'))
  .sort()
  .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }));
const sqlFiles = sources.filter(({ path }) => path.endsWith('.sql.ts'));

/** The statements of a file by the names under which it exports them. */
async function statementsOf(path: string): Promise<[string, Statement<unknown, never>][]> {
  const module = (await import(pathToFileURL(join(src, path)).href)) as Record<string, unknown>;
  return Object.entries(module).filter(
    (entry): entry is [string, Statement<unknown, never>] => entry[1] instanceof Statement,
  );
}

let db: Database;
let client: pg.PoolClient;
const typeNames = new Map<number, string>();
/** Columns of tables that may be null, as `table.column` by their numbers. */
const mayBeNull = new Set<string>();

beforeAll(async () => {
  db = await openDatabase({ database: await freshDatabase() });
  client = await db.pool.connect();
  const types = await client.query<{ oid: number; typname: string }>(
    'SELECT oid::int, typname FROM pg_type',
  );
  for (const { oid, typname } of types.rows) typeNames.set(oid, typname);
  const columns = await client.query<{ name: string }>(
    `SELECT attrelid || '.' || attnum AS name FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
     WHERE NOT attnotnull AND attnum > 0 AND relnamespace = 'public'::regnamespace`,
  );
  for (const { name } of columns.rows) mayBeNull.add(name);
});
afterAll(async () => {
  client.release();
  await db.close();
});

const typeName = (oid: number): string => typeNames.get(oid)?.replace('varchar', 'text') ?? '?';
const camelCase = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const columnOf = ({ name, type, table, column }: Described['columns'][number]): string =>
  `${camelCase(name)}: ${typeName(type)}${mayBeNull.has(`${table}.${column}`) ? ' or null' : ''}`;

it.each(sqlFiles.map(({ path }) => path))(
  '%s holds statements whose parameters and columns are what PostgreSQL says they are',
  async (path) => {
    for (const [name, statement] of await statementsOf(path)) {
      expect(statement.samples.length, `${name} has no arguments to be tried with`).not.toBe(0);
      for (const sample of statement.samples) {
        const { text, types } = statement.build(sample);
        const described = await describeStatement(client, text).catch((error: unknown) => {
          throw new Error(`${path}, ${name}: ${String(error)}\n${text}`);
        });
        expect(described.parameters.map(typeName), `parameters of ${name}`).toEqual(
          types.map((type) => type.name),
        );
        const declared = Object.entries<{ name: string; nullable?: boolean }>(statement.row);
        // What no table says, such as the outer side of a join, may be declared as null.
        const told = described.columns.map((column, at) =>
          declared[at]?.[1].nullable
            ? columnOf(column).replace(/( or null)?$/, ' or null')
            : columnOf(column),
        );
        expect(told, `columns of ${name}`).toEqual(
          declared.map(([key, type]) => `${key}: ${type.name}${type.nullable ? ' or null' : ''}`),
        );
      }
    }
  },
);

/** Texts of a file that look like SQL, and calls that take SQL as a text. */
const SQL =
  /\b(SELECT\s[\s\S]*\b(FROM|EXISTS|count|now|pg_\w+)|INSERT INTO\s|DELETE FROM\s|UPDATE\s+("?\w+"?)\s+(\w+\s+)?SET\s|FROM\s+"?\w+"?\s+(\w+\s+)?(WHERE|JOIN|LEFT)\s)/;
function holdsSql(path: string, text: string): boolean {
  let found = false;
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))
      found ||= SQL.test(node.getText());
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
      found ||= /^(client|pool|.*\.pool|run\.client)\.query$/.test(node.expression.getText());
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return found;
}

describe('SQL', () => {
  // What opens, migrates and follows a database is no statement of an operation.
  const isMachinery = (path: string): boolean => /^core\/(database|wire|sql)\//.test(path);

  it('stands in *.sql.ts files only, but for those that are not converted yet', () => {
    const holders = sources
      .filter(({ path }) => !path.endsWith('.sql.ts') && !isMachinery(path))
      .filter(({ path, text }) => holdsSql(path, text))
      .map(({ path }) => path);
    expect(holders).toEqual([...unconverted].sort());
  });

  it('of a *.sql.ts file is exported as a statement, so that the test above knows it', async () => {
    for (const { path, text } of sqlFiles) {
      const declared = text.match(/\bstatement(For)?\(/g) ?? [];
      expect((await statementsOf(path)).length, path).toBe(declared.length);
      expect(text, `${path} runs statements itself`).not.toMatch(/\.(rows|read|query)\(/);
    }
  });

  it('stands in at most 30 such files', () => {
    expect(sqlFiles.length).toBeLessThanOrEqual(30);
  });
});
