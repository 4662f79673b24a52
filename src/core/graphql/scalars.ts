import { GraphQLError, type GraphQLScalarType } from 'graphql';
import { DateTimeResolver, SafeIntResolver, URLResolver, UUIDResolver } from 'graphql-scalars';
import { builder } from './builder.ts';
import { parseDay } from '../time/days.ts';

// The scalars. Input is checked strictly (P7), by graphql-scalars where it has a scalar that takes what is documented
// here. Output is always valid and not checked again for each value.

const same = <T>(value: T): T => value;

/** Reads a value by a scalar of graphql-scalars, and refuses what that refuses in words of ours. */
function parseBy<T>(
  base: GraphQLScalarType<unknown>,
  expected: string,
  convert: (value: unknown) => T | undefined,
): (value: unknown) => T {
  return (value) => {
    let read: T | undefined;
    try {
      read = convert(base.parseValue(value));
    } catch {
      // Refused below.
    }
    return read ?? refuse(expected, value);
  };
}

function refuse(expected: string, value: unknown): never {
  throw new GraphQLError(`Expected ${expected}, got ${JSON.stringify(value)?.slice(0, 60)}`, {
    extensions: { code: 'BAD_USER_INPUT' },
  });
}

/** A day of another year would come back from the database as no date at all. */
const isUsualYear = (year: number): boolean => year >= 1 && year <= 9999;

builder.scalarType('DateTime', {
  description:
    'Instant with its offset, RFC 3339, e.g. 2026-11-20T12:00:00Z, in the years 1 to 9999 of UTC; output is UTC.',
  serialize: (value) => (value instanceof Date ? value.toISOString() : value),
  parseValue: parseBy(
    DateTimeResolver,
    'an RFC 3339 instant, e.g. 2026-11-20T12:00:00Z',
    (value) => (value instanceof Date && isUsualYear(value.getUTCFullYear()) ? value : undefined),
  ),
});
// That of graphql-scalars takes zones and fractions, too.
builder.scalarType('LocalDateTime', {
  description:
    "Wall time in the session's time zone, `yyyy-MM-ddTHH:mm:ss` (REST: a space instead of T).",
  serialize: same,
  parseValue: (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(value)
      ? value
      : refuse('yyyy-MM-ddTHH:mm:ss', value),
});
// That of graphql-scalars takes days of the year 0, which PostgreSQL does not have.
builder.scalarType('LocalDate', {
  description: 'Calendar day, `yyyy-MM-dd` (REST: yyyyMMdd).',
  serialize: same,
  parseValue: (value) =>
    (typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
      ? parseDay(value.replaceAll('-', ''))
      : undefined) ?? refuse('a day yyyy-MM-dd', value),
});
// That of graphql-scalars takes dates as text, and makes a `Date` of any input, even an invalid one.
builder.scalarType('Timestamp', {
  description: 'Instant in epoch milliseconds: an integer of at most 53 bits.',
  serialize: same,
  parseValue: (value) =>
    typeof value === 'number' && Number.isSafeInteger(value)
      ? value
      : refuse('epoch milliseconds', value),
});
builder.scalarType('SafeInt', {
  description: 'Integer that JSON keeps exact: from -(2^53 - 1) to 2^53 - 1.',
  serialize: same,
  parseValue: parseBy(SafeIntResolver, 'an integer of at most 53 bits', Number),
});
builder.scalarType('JSON', {
  description: 'Any JSON value.',
  serialize: same,
  parseValue: same,
});
builder.scalarType('URL', {
  description: 'URL: absolute, unless the field says otherwise.',
  serialize: same,
  parseValue: parseBy(URLResolver, 'an absolute URL', String),
});
builder.scalarType('UUID', {
  description: 'UUID of RFC 9562, e.g. 3f2504e0-4f89-41d3-9a0c-0305e82c3301.',
  serialize: same,
  parseValue: parseBy(UUIDResolver, 'a UUID', String),
});
// graphql-scalars has no opaque text.
builder.scalarType('Cursor', {
  description:
    'Position in a list, opaque: the same string as `next_cursor` and `previous_cursor` in REST. It belongs to the order of its list.',
  serialize: same,
  parseValue: (value) => (typeof value === 'string' ? value : refuse('a cursor', value)),
});
builder.scalarType('ChangeCursor', {
  description: 'Position in the change log, opaque. REST: header X-Resume-Cursor.',
  serialize: same,
  parseValue: (value) => (typeof value === 'string' ? value : refuse('a change cursor', value)),
});
