import * as z from 'zod';
import { recordKinds } from './kinds.ts';

/** JSON Schema of one line of an import file. Without `record` a line is a feed. */
export function importJsonSchema(): object {
  const definitions = recordKinds.map((kind): [string, object] => [
    kind.name,
    withoutDialect(z.toJSONSchema(kind.schema, { io: 'input', unrepresentable: 'any' })),
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Trivium import record',
    anyOf: recordKinds.map((kind) => ({ $ref: `#/$defs/${kind.name}` })),
    $defs: Object.fromEntries(definitions),
  };
}

/** The dialect is named once, at the top. */
function withoutDialect(schema: object): object {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema'));
}
