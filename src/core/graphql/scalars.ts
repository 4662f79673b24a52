import { GraphQLError, type GraphQLScalarType } from 'graphql';
import {
  DateTimeResolver,
  JSONResolver,
  SafeIntResolver,
  URLResolver,
  UUIDResolver,
} from 'graphql-scalars';
import { builder } from './builder.ts';
import { parseDay } from '../time.ts';

/** The scalars. Input is checked strictly (P7); output is right by construction and is not checked again for each value. */
const same = <T>(value: T): T => value;

function parseBy<T>(
  base: GraphQLScalarType<unknown>,
  convert: (value: unknown) => T,
): (value: unknown) => T {
  return (value) => convert(base.parseValue(value));
}

function refuse(expected: string, value: unknown): never {
  throw new GraphQLError(`Expected ${expected}, got ${JSON.stringify(value)?.slice(0, 60)}`, {
    extensions: { code: 'BAD_USER_INPUT' },
  });
}

builder.scalarType('DateTime', {
  description: 'RFC 3339 instant.',
  serialize: same,
  parseValue: parseBy(DateTimeResolver, (value) =>
    value instanceof Date ? value : refuse('an RFC 3339 instant', value),
  ),
});
builder.scalarType('LocalDateTime', {
  description: 'Wall time without zone, `yyyy-MM-ddTHH:mm:ss` (REST writes a blank instead of T).',
  serialize: same,
  parseValue: (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(value)
      ? value
      : refuse('yyyy-MM-ddTHH:mm:ss', value),
});
builder.scalarType('LocalDate', {
  description: 'Calendar day, `yyyy-MM-dd` (REST: yyyyMMdd).',
  serialize: same,
  parseValue: (value) =>
    (typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
      ? parseDay(value.replaceAll('-', ''))
      : undefined) ?? refuse('a day yyyy-MM-dd', value),
});
builder.scalarType('Timestamp', {
  description: 'Epoch milliseconds, 53 bit.',
  serialize: same,
  parseValue: (value) =>
    typeof value === 'number' && Number.isSafeInteger(value)
      ? value
      : refuse('epoch milliseconds', value),
});
builder.scalarType('SafeInt', {
  description: 'Integer up to 2^53-1.',
  serialize: same,
  parseValue: parseBy(SafeIntResolver, Number),
});
builder.scalarType('JSON', {
  description: 'Any JSON value.',
  serialize: same,
  parseValue: parseBy(JSONResolver, same),
});
builder.scalarType('URL', {
  description: 'Absolute URL.',
  serialize: same,
  parseValue: parseBy(URLResolver, String),
});
builder.scalarType('UUID', {
  description: 'UUID, RFC 9562.',
  serialize: same,
  parseValue: parseBy(UUIDResolver, String),
});
builder.scalarType('Cursor', {
  description:
    'Opaque list position. The very string that REST calls `next_cursor` / `previous_cursor`.',
  serialize: same,
  parseValue: (value) => (typeof value === 'string' ? value : refuse('a cursor', value)),
});
builder.scalarType('ChangeCursor', {
  description: 'Opaque position in the change log. REST: header X-Resume-Cursor.',
  serialize: same,
  parseValue: (value) => (typeof value === 'string' ? value : refuse('a change cursor', value)),
});
