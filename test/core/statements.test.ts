import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type pg from 'pg';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../src/core/database/db.ts';
import { List } from '../../src/core/lists/list.sql.ts';
import { CellStatement } from '../../src/core/sql/statement.ts';
import { freshDatabase } from '../support/app.ts';
import { describeStatement, type Described } from '../support/describe-statement.ts';
import { samplesWith } from './statement-samples.ts';

const src = fileURLToPath(new URL('../../src', import.meta.url));
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.startsWith('generated'))
  .sort()
  .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }));
const sqlFiles = sources.filter(({ path }) => path.endsWith('.sql.ts'));

/** What each of the files exports, by name. */
const exportsOf = new Map<string, [string, unknown][]>();
for (const { path } of sqlFiles) {
  const module = (await import(pathToFileURL(join(src, path)).href)) as Record<string, unknown>;
  exportsOf.set(path, Object.entries(module));
}
const statementsOf = (path: string): [string, CellStatement<unknown>][] =>
  (exportsOf.get(path) ?? []).filter(
    (entry): entry is [string, CellStatement<unknown>] => entry[1] instanceof CellStatement,
  );
const listsOf = (path: string): List<unknown, Record<string, never>>[] =>
  (exportsOf.get(path) ?? []).flatMap(([, one]) => (one instanceof List ? [one] : []));
const samplesOf = samplesWith(sqlFiles.flatMap(({ path }) => listsOf(path)));

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
type Column = Described['columns'][number];

/** A column as PostgreSQL tells it, to be compared with the one that is declared. */
function columnOf(
  { name, type, table, column }: Column,
  [key, { nullable }]: [string, { nullable?: boolean }] = ['', {}],
): string {
  // What is declared by its SQL has no name of ours.
  const label = /^\w*$/.test(key) ? camelCase(name) : key;
  // What no table says, such as the outer side of a join, may be declared as null.
  const orNull = nullable || mayBeNull.has(`${table}.${column}`) ? ' or null' : '';
  return `${label}: ${typeName(type)}${orNull}`;
}

it.each(sqlFiles.map(({ path }) => path))(
  '%s holds statements whose parameters and columns are what PostgreSQL says they are',
  async (path) => {
    for (const [name, statement] of statementsOf(path)) {
      const samples = samplesOf(statement);
      expect(samples.length, `${name} has no arguments to be tried with`).not.toBe(0);
      for (const sample of samples) {
        const { text, types } = statement.build(sample);
        const described = await describeStatement(client, text).catch((error: unknown) => {
          throw new Error(`${path}, ${name}: ${String(error)}${placeIn(text, error)}\n${text}`);
        });
        expect(described.parameters.map(typeName), `parameters of ${name}`).toEqual(
          types.map((type) => type.name),
        );
        const declared = Object.entries(statement.columns(sample));
        const told = described.columns.map((column, at) => columnOf(column, declared[at]));
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

/** A piece of SQL as it stands in a file, between placeholders, and where. */
interface Piece {
  sql: string;
  place: string;
}

const LOOKS_LIKE_SQL =
  /\b[a-z]{1,2}\.[a-z]\w+|\b(SELECT|FROM|WHERE|AND|OR|NOT|EXISTS|CASE|ANY|ARRAY|JOIN|ORDER BY|UNION|INSERT|UPDATE|DELETE|LIMIT)\b|^ ?(<|>|=|\|\|)/;
const SHORT_COLUMN = /^[a-z]\.[a-z]\w+$/;

/** The pieces of SQL in a file; what is not *.sql.ts may only name columns. */
function piecesOf(path: string, text: string): Piece[] {
  const pieces: Piece[] = [];
  const isSqlFile = path.endsWith('.sql.ts');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const add = (node: ts.Node, literal: string): void => {
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    for (const sql of literal.split(/\$[a-z]\w*|:user\b|:overdueBefore\b/i))
      if ((isSqlFile ? LOOKS_LIKE_SQL : SHORT_COLUMN).test(sql))
        pieces.push({ sql, place: `${path}:${line} ${nameOf(node)}` });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isStringLiteralLike(node)) add(node, node.text);
    else if (ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      add(node, node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return pieces;
}

/** The name of what a piece belongs to: of the member, or of the constant or function. */
function nameOf(node: ts.Node): string {
  const named: string[] = [];
  for (let one = node; !ts.isSourceFile(one); one = one.parent)
    if (
      (ts.isPropertyAssignment(one) ||
        ts.isVariableDeclaration(one) ||
        ts.isFunctionDeclaration(one)) &&
      one.name
    )
      named.unshift(one.name.getText());
  return named.join('.');
}

const pieces = sources
  .filter(({ path }) => !/^(client|sdk)\//.test(path))
  .flatMap(({ path, text }) => piecesOf(path, text));

/** Which piece of SQL PostgreSQL complains about. */
function placeIn(text: string, error: unknown): string {
  const { position } = error as { position?: string };
  const at = Number(position ?? 0) - 1;
  const held = pieces
    .filter(({ sql }) => {
      for (let start = text.indexOf(sql); start >= 0; start = text.indexOf(sql, start + 1))
        if (start <= at && at < start + sql.length) return true;
      return false;
    })
    .sort((one, other) => other.sql.length - one.sql.length);
  return held[0] ? ` in ${held[0].place}` : '';
}

describe('SQL', () => {
  // What opens, migrates and follows a database is no statement of an operation.
  const isMachinery = (path: string): boolean =>
    /^core\/(database|migrations|wire|sql)\//.test(path);

  it('stands in *.sql.ts files only', () => {
    const holders = sources
      .filter(({ path }) => !path.endsWith('.sql.ts') && !isMachinery(path))
      .filter(({ path, text }) => holdsSql(path, text))
      .map(({ path }) => path);
    expect(holders).toEqual([]);
  });

  it('of a *.sql.ts file is exported as a statement or a list, so that the test above knows it', () => {
    for (const { path, text } of sqlFiles) {
      const declared = text.match(/\b(s|cellS)tatement(For)?\(/g) ?? [];
      expect(statementsOf(path).length, path).toBe(declared.length);
      expect(text, `${path} runs statements itself`).not.toMatch(/\.(rows|read|query)\(/);
    }
  });

  it('is all in statements that are prepared above, whatever it is put together from', () => {
    const texts: string[] = [];
    for (const { path } of sqlFiles)
      for (const [, statement] of statementsOf(path))
        texts.push(...samplesOf(statement).map((sample) => statement.build(sample).text));
    const all = texts.join('\n\n');
    const untried = pieces.filter(({ sql }) => !all.includes(sql));
    expect(untried.map(({ place, sql }) => `${place}: ${sql}`)).toEqual([]);
  });

  it('stands in at most 31 such files', () => {
    expect(sqlFiles.length).toBeLessThanOrEqual(31);
  });
});
