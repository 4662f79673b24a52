import { asText, int4, int8, type SqlType, text, timestamptz, uuid } from '../sql/types.ts';
import { isStorable } from '../text.ts';
import { isUuid } from '../uuid.ts';

/** One column of a total order. Its SQL expression is never null; the last column of an order is unique. */
export interface SortColumn {
  /** Name in the sort spec that a cursor is bound to. */
  name: string;
  sql: string;
  kind: keyof typeof kinds;
  descending: boolean;
  /** The column has only a few different values. */
  fewValues?: boolean;
  /** A column of one value in the whole list. `ORDER BY` names it before this one, so that an index is read that begins with it. */
  within?: string;
}

const INSTANT = /^(?!0000)\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{1,6})?\+00$/;

/** The epoch milliseconds of a sort value that is an instant; NaN of another. */
export const instantOf = (value: string): number =>
  Date.parse(value.replace(' ', 'T').replace('+00', 'Z'));

/** Is it an instant as PostgreSQL prints it? Of a day that no month has, Date.parse makes one of the next. */
function isInstant(value: string): boolean {
  if (!INSTANT.test(value)) return false;
  const ms = instantOf(value);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(value.slice(0, 10));
}

/** How each kind of sort value is validated when a cursor comes back, and cast in SQL. */
export const kinds = {
  instant: {
    type: asText(timestamptz),
    cast: 'timestamptz',
    check: isInstant,
  },
  integer: {
    type: asText(int4),
    cast: 'int',
    check: (value: string) =>
      /^-?\d{1,10}$/.test(value) && Math.abs(Number(value)) <= 2_147_483_647,
  },
  key: {
    type: asText(int8),
    cast: 'bigint',
    check: (value: string) => /^\d{1,16}$/.test(value) && Number(value) <= Number.MAX_SAFE_INTEGER,
  },
  text: {
    type: text,
    cast: 'text',
    check: (value: string) => value.length <= 2_000 && isStorable(value),
  },
  uuid: {
    type: uuid,
    cast: 'uuid',
    check: isUuid,
  },
} satisfies Record<
  string,
  { type: SqlType<string, string>; cast: string; check: (value: string) => boolean }
>;
