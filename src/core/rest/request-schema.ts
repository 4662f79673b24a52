import { z } from 'zod';
import {
  identityNames,
  type IgnoredParameter,
  type RouteParameter,
  type ValueSchema,
} from './route.ts';

/** What the document's table says of a parameter, beside the JSON Schema of its value. */
export interface ParameterTable {
  in: RouteParameter['in'];
  description: string;
  /** Without it there is no answer. */
  required?: boolean;
  example?: string | number;
  /** Code when it is absent. */
  missing?: string;
  /** Code when it was sent and can't be used. */
  unusable?: string;
  /** Of a path that does several things: in which of them it counts. */
  modes?: readonly string[];
}

/** Where the tables of all parameters stand. */
const tables = z.registry<ParameterTable>();

/** The parameters of a request by their documented names: what reads them, what OpenAPI shows, and what tells the names that are none. */
export type RequestSchema = z.ZodObject<Readonly<Record<string, z.ZodType>>>;

/** Makes a value a parameter. Its JSON Schema is that of `type`. */
export function parameter<Type extends z.ZodType>(type: Type, table: ParameterTable): Type {
  tables.add(type, table);
  return type;
}

/** A value that a function reads from text; `expected` says what it must be, after "must be". */
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

/** One of these texts, as they are written. */
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

/** What reads an item of a comma list, and what it must be. */
interface Item {
  type: z.ZodType<unknown, string>;
  expected: string;
}

const items = new WeakMap<z.ZodType, Item>();

/** A comma list, whose items a function reads. Its reader keeps those that can be used. */
export function listOf<Value>(
  parse: (text: string) => Value | undefined,
  expected: string,
): z.ZodType<Value[], string[]> {
  const type = valueOf(parse, expected);
  const list = z.array(type);
  items.set(list, { type, expected });
  return list;
}

/** Of the type of a comma list, its items. */
export function itemsOf(type: z.ZodType): Item | undefined {
  return items.get(type);
}

/** The table of each parameter of a request. */
export function tablesOf(schema: RequestSchema): Map<string, ParameterTable> {
  return new Map(
    Object.entries(schema.shape).flatMap(([name, type]) => {
      const table = tables.get(type);
      return table ? [[name, table] as const] : [];
    }),
  );
}

/** The rows that OpenAPI is made from. */
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

/** Names that were sent and are no parameters: none of them counts, and why. */
export function ignoredNames(
  names: Iterable<string>,
  isKnown: (name: string) => boolean,
): IgnoredParameter[] {
  return [...new Set(names)]
    .filter((name) => !isKnown(name))
    .map((name) => ({
      name,
      reason: identityNames.has(name)
        ? 'comes from the session, never from the client'
        : 'is not a parameter of this operation',
      defaulted: false,
    }));
}
