import * as z from 'zod';
import type { RouteParameter } from './route.ts';
import { itemsOf } from './parameter-values.ts';
import { type RequestSchema, tablesOf } from './request-schema.ts';

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
