import { z } from 'zod';
import type { FieldProblem } from '../errors.ts';
import type { RouteParameter, ValueSchema } from './route.ts';

/** Documentation of a parameter, in addition to the JSON Schema of its value. */
export interface ParameterTable {
  in: RouteParameter['in'];
  description: string;
  /** Requests without it are refused. */
  required?: boolean;
  example?: string | number;
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

/** A value that a function parses from text; `expected` completes the sentence "must be …". */
export function valueOf<Value>(
  parse: (text: string) => Value | undefined,
  expected: string,
  schema: ValueSchema = { type: 'string' },
): z.ZodType<Value, string> {
  return z
    .string()
    .transform((text, issues) => {
      const value = parse(text);
      if (value !== undefined) return value;
      issues.addIssue({ code: 'custom', message: `must be ${expected}` });
      return z.NEVER;
    })
    .meta({ ...schema });
}

/** Why a value can't be used. */
export class Fault {
  readonly message: string;
  /** Overrides the code in the parameter's table. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    this.message = message;
    this.code = code;
  }
}

/** A value that a function reads from what was sent, of any type; undefined when nothing was. */
export function readBy<Value>(
  read: (value: unknown) => Value | Fault,
  schema: ValueSchema = { type: 'string' },
): z.ZodType<Value> {
  return z
    .unknown()
    .transform((given, issues) => {
      const value = read(given);
      if (!(value instanceof Fault)) return value;
      const { message, code } = value;
      issues.addIssue({ code: 'custom', message, params: { code } });
      return z.NEVER;
    })
    .meta({ ...schema });
}

/** One of these texts, exactly as written. */
export function oneOf<const Value extends string>(
  values: readonly Value[],
  schema: ValueSchema = {},
): z.ZodType<Value, string> {
  const parse = (text: string): Value | undefined => values.find((value) => value === text);
  return valueOf(parse, values.join(', ').replace(/, ([^,]*)$/, ' or $1'), {
    type: 'string',
    enum: [...values],
    ...schema,
  });
}

/** How an item of a comma list is parsed, and what it must be. */
interface Item {
  type: z.ZodType<unknown, string>;
  expected: string;
}

const items = new WeakMap<z.ZodType, Item>();

/** A comma list whose items a function parses. Only usable items are kept. */
export function listOf<Value>(
  parse: (text: string) => Value | undefined,
  expected: string,
): z.ZodType<Value[], string[]> {
  const type = valueOf(parse, expected);
  const list = z.array(type);
  items.set(list, { type, expected });
  return list;
}

/** The item type of a comma list. */
export function itemsOf(type: z.ZodType): Item | undefined {
  return items.get(type);
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

/** The parameters as OpenAPI shows them. */
export function describeParameters(schema: RequestSchema): RouteParameter[] {
  return [...tablesOf(schema)].map(([name, { in: place, description, required, example }]) => ({
    name,
    in: place,
    description,
    schema: valueSchema(schema.shape[name]),
    ...(required && { required }),
    ...(example !== undefined && { example }),
  }));
}

/** The JSON Schema of one value, without what zod adds by itself. */
function valueSchema(type: z.ZodType = z.string()): RouteParameter['schema'] {
  const schema = z.toJSONSchema(itemsOf(type) ? z.string() : type, {
    io: 'output',
    unrepresentable: 'any',
  });
  delete schema.$schema;
  delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  return schema;
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
