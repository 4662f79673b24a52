import { z } from 'zod';

/** A JSON Schema (2020-12), as OpenAPI 3.1 takes it. */
export type JsonSchema = Record<string, unknown>;

/** What zod adds by itself and a reader of the document does not need. */
function trim({
  jsonSchema,
}: {
  jsonSchema: { minimum?: unknown; maximum?: unknown; format?: unknown; pattern?: unknown };
}): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
}

/** Gathers the schemas that have an id under `components`. */
export class SchemaComponents {
  readonly schemas: Record<string, JsonSchema> = {};

  /** The JSON Schema of what is sent, referring to the named ones. */
  add(schema: z.ZodType): JsonSchema {
    const { $defs, ...root } = rename(
      z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'output', override: trim }),
    );
    delete root['$schema'];
    Object.assign(this.schemas, $defs);
    return root;
  }
}

/** The references point into the document. */
function rename(schema: object): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as JsonSchema;
}
