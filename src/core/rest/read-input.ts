import type * as z from 'zod';
import { ValidationError, type FieldProblem } from '../errors.ts';
import { bodyEntries } from './body-parameters.ts';
import { AFTER_THE_FIRST, ignoredHeaders, prefersStrict } from './parameters.ts';
import { readValues, tablesOf, type RequestSchema } from './request-schema.ts';
import {
  identityNames,
  type IgnoredParameter,
  type RequestFacts,
  type RestReply,
} from './route.ts';

/** The parameters of a request, and the names that were ignored. */
export interface Input<Values> {
  values: Values;
  ignored: IgnoredParameter[];
  /** Response headers that name what was ignored (P8). */
  headers: NonNullable<RestReply['headers']>;
}

/** Names and values in the order they were sent. */
export type Entries = readonly (readonly [string, unknown])[];

/** How the requests of one document are read. */
export interface Reading {
  /** Names match in any case, null counts as absent, and the first of several values in the query counts; otherwise several are refused. */
  anyCase?: boolean;
  /** Reads the body. */
  body(request: RequestFacts): Promise<Entries>;
  /** Makes the error that names all problems. */
  refuse(problems: FieldProblem[]): ValidationError;
}

const plain: Reading = {
  body: async (request) => bodyEntries(await request.body()),
  refuse: (problems) => new ValidationError(problems),
};

/**
 * Reads the parameters of a request. Unusable values are refused, all at once (P6). Unknown names are ignored, or refused
 * with `Prefer: handling=strict` (P8).
 */
export async function readInput<Schema extends RequestSchema>(
  request: RequestFacts,
  schema: Schema,
  reading: Reading = plain,
): Promise<Input<z.output<Schema>>> {
  const tables = tablesOf(schema);
  const takesBody = [...tables.values()].some((table) => table.in === 'body');
  const fold = (name: string): string => (reading.anyCase ? name.toLowerCase() : name);
  const sent = {
    path: Object.entries(request.path),
    query: [...request.query],
    body: takesBody ? await reading.body(request) : [],
  };
  const places = new Map([...tables].map(([name, table]) => [fold(name), table.in]));
  const strangers = (place: 'query' | 'body'): string[] =>
    sent[place].map(([name]) => name).filter((name) => places.get(fold(name)) !== place);
  const strange = ignoredNames([...strangers('query'), ...strangers('body')]);
  const [repeated, twice] = [new Set<string>(), new Set<string>()];
  const read = readValues(schema, (name, place) => {
    if (place === 'header') return request.headers[name.toLowerCase()];
    const given = sent[place].filter(([sentName]) => fold(sentName) === fold(name));
    if (given.length > 1) (reading.anyCase && place === 'query' ? repeated : twice).add(name);
    const value = given[0]?.[1];
    return reading.anyCase ? (value ?? undefined) : value;
  });
  const ignored = [...strange, ...ignoredNames(repeated, AFTER_THE_FIRST)];
  const problems = [
    ...[...twice].map((name) => problem(name, 'is sent more than once')),
    ...read.problems.filter(({ path }) => !twice.has(path[0] ?? '')),
    ...(prefersStrict(request) ? refusedNames(ignored) : []),
  ];
  if (!read.values || problems.length > 0) throw reading.refuse(problems);
  const names = ignored.map(({ name }) => name);
  return { values: read.values, ignored, headers: ignoredHeaders(names, prefersStrict(request)) };
}

/** Names that are ignored, each with the reason why. */
function ignoredNames(
  names: Iterable<string>,
  why = 'is not a parameter of this operation',
): IgnoredParameter[] {
  return [...new Set(names)].map((name) => ({
    name,
    reason: identityNames.has(name) ? 'comes from the session, never from the client' : why,
    defaulted: false,
  }));
}

/** The ignored names that strict handling refuses: all but the names of identity. */
function refusedNames(ignored: readonly IgnoredParameter[]): FieldProblem[] {
  return ignored
    .filter(({ name }) => !identityNames.has(name))
    .map(({ name, reason }) => problem(name.slice(0, 100), reason));
}

function problem(name: string, message: string): FieldProblem {
  return { path: [name], message, code: 'INVALID_PARAMETER' };
}
