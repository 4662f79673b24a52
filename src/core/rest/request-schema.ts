import { z } from 'zod';
import { identityNames, type IgnoredParameter, type RouteParameter } from './route.ts';

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
  const schema = z.toJSONSchema(type, { io: 'output' });
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
