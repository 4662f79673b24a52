import * as z from 'zod';
import type { FieldProblem } from '../errors.ts';
import type { ParameterExample, RouteParameter } from './route.ts';

/** Documentation of a parameter, in addition to the JSON Schema of its value. */
export interface ParameterTable {
  in: RouteParameter['in'];
  description: string;
  /** Requests without it are refused. */
  required?: boolean;
  example?: ParameterExample;
  /** Error code when it is absent. */
  missing?: string;
  /** Error code when it was sent but can't be used. */
  unusable?: string;
  /** For a path with several modes: the modes in which it counts. */
  modes?: readonly string[];
}

/** The tables of all parameters. */
const tables = z.registry<ParameterTable>();

/**
 * The parameters of a request by their documented names. Used to read them, to describe them in OpenAPI, and to find
 * unknown names.
 */
export type RequestSchema = z.ZodObject<Readonly<Record<string, z.ZodType>>>;

/** Declares a value as a parameter. Its JSON Schema is that of `type`. */
export function parameter<Type extends z.ZodType>(type: Type, table: ParameterTable): Type {
  tables.add(type, table);
  return type;
}

/** Declares a parameter of the query. */
export function queryParameter<Type extends z.ZodType>(
  type: Type,
  description: string,
  more: Pick<ParameterTable, 'required' | 'example'> = {},
): Type {
  return parameter(type, { in: 'query', description, ...more });
}

/** The table of each parameter in a request. */
export function tablesOf(schema: RequestSchema): Map<string, ParameterTable> {
  return new Map(
    Object.entries(schema.shape).flatMap(([name, type]) => {
      const table = tables.get(type);
      return table ? [[name, table] as const] : [];
    }),
  );
}

/** Reads each parameter of the schema from what `find` returns for it. Without problems there are values. */
export function readValues<Schema extends RequestSchema>(
  schema: Schema,
  find: (name: string, place: ParameterTable['in']) => unknown,
): { values: z.output<Schema> | undefined; problems: FieldProblem[] } {
  const tables = tablesOf(schema);
  const sent = Object.fromEntries([...tables].map(([name, table]) => [name, find(name, table.in)]));
  const read = schema.safeParse(sent);
  if (read.success) return { values: read.data, problems: [] };
  const problems = read.error.issues.map((issue) => {
    const name = String(issue.path[0]);
    const { missing, unusable } = tables.get(name) ?? {};
    const own: unknown = issue.code === 'custom' ? issue.params?.['code'] : undefined;
    const absent = sent[name] === undefined || sent[name] === '';
    const code = typeof own === 'string' ? own : absent ? missing : unusable;
    return { path: [name], message: issue.message, code: code ?? 'INVALID_PARAMETER' };
  });
  return { values: undefined, problems };
}
