import * as z from 'zod';

/** A JSON Schema (2020-12), as in OpenAPI 3.1. */
export type JsonSchema = Record<string, unknown>;

/** Removes what zod adds by itself and readers don't need. */
function trim({
  jsonSchema,
}: {
  jsonSchema: {
    minimum?: unknown;
    maximum?: unknown;
    format?: unknown;
    pattern?: unknown;
    prefixItems?: unknown;
    items?: unknown;
    anyOf?: unknown;
  };
}): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  // Schemas have no empty list of items: `maxItems` says that there are none.
  if (Array.isArray(jsonSchema.prefixItems) && jsonSchema.prefixItems.length === 0) {
    delete jsonSchema.prefixItems;
    jsonSchema.items = {};
  }
  // Any value, or null: that is any value.
  if (Array.isArray(jsonSchema.anyOf) && jsonSchema.anyOf.some(isEmpty)) delete jsonSchema.anyOf;
}

function isEmpty(schema: unknown): boolean {
  return JSON.stringify(schema) === '{}';
}

/** Collects the schemas that have an id under `components`. */
export class SchemaComponents {
  readonly schemas: Record<string, JsonSchema> = {};

  /**
   * The JSON Schema of a value, with references to the named schemas. In a request, values that a function reads bring
   * their own JSON Schema.
   */
  add(schema: z.ZodType, of: 'answer' | 'request' = 'answer'): JsonSchema {
    const unrepresentable = of === 'request' ? 'any' : 'throw';
    const { $defs, ...root } = rename(
      z.toJSONSchema(schema, {
        target: 'draft-2020-12',
        io: 'output',
        override: trim,
        unrepresentable,
      }),
    );
    delete root['$schema'];
    Object.assign(this.schemas, $defs);
    return root;
  }
}

/** Makes the references point into the document. */
function rename(schema: object): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as JsonSchema;
}
