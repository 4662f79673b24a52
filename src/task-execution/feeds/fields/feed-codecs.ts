import * as z from 'zod';
import {
  bool,
  char,
  int4,
  int8,
  jsonb,
  text,
  timestamptz,
  type SqlType,
} from '../../../core/sql/types.ts';
import type { Cell } from '../../../core/wire/wire.ts';
import { isoDay } from '../../../core/time/days.ts';
import { epochMillis } from '../../../core/time/instant-text.ts';
import type { WallClock } from '../../../core/time/wall-clock.ts';
import { feedStatuses } from '../../terms/feed-status.ts';

/** What the values of some fields depend on in addition to the row. */
export interface FeedReading {
  /** Epoch milliseconds. */
  now: number;
  /** Of the session's zone. */
  clock: WallClock;
}

/** How to read the values of one type. */
export interface Codec {
  /** Type of the cells. */
  stored: SqlType<unknown>;
  /** JSON text of the REST value of a non-null cell. */
  rest: (cell: string, reading: FeedReading) => string;
  /** GraphQL value of a non-null cell. */
  graphql: (cell: string, reading: FeedReading) => unknown;
  /** Form of the REST value. */
  shape: z.ZodType;
  /** Values for a null cell: flags and booleans of a user without a state row are off. */
  absent?: { rest: string; graphql: unknown };
}

const off = { rest: 'false', graphql: false };
const jsonText = (cell: string): string => JSON.stringify(cell);

const int64 = z.int().meta({ format: 'int64' });
/** `yyyy-MM-dd HH:mm:ss`. */
const wallTime = z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
/** `yyyyMMdd`. */
const dayText = z.string().regex(/^\d{8}$/);

const textCodec: Codec = {
  stored: text,
  shape: z.string(),
  rest: jsonText,
  graphql: (cell) => cell,
};

const codecs = {
  text: textCodec,
  status: {
    stored: char,
    shape: z.enum(feedStatuses),
    rest: (cell) => `"${cell}"`,
    graphql: (cell) => cell,
  },
  integer: {
    stored: int4,
    shape: z.int(),
    rest: (cell) => cell,
    graphql: Number,
  },
  bigInteger: {
    stored: int8,
    shape: int64,
    rest: (cell) => cell,
    graphql: Number,
  },
  boolean: {
    stored: bool,
    shape: z.boolean(),
    rest: (cell) => (cell === 't' ? 'true' : 'false'),
    graphql: (cell) => cell === 't',
    absent: off,
  },
  flag: {
    stored: bool,
    shape: z.literal([0, 1]),
    rest: (cell) => (cell === 't' ? '1' : '0'),
    graphql: (cell) => cell === 't',
    absent: { rest: '0', graphql: false },
  },
  wall: {
    stored: timestamptz,
    shape: wallTime,
    rest: (cell, { clock }) => `"${clock(cell)}"`,
    graphql: (cell, { clock }) => clock(cell).replace(' ', 'T'),
  },
  utc: {
    stored: timestamptz,
    shape: wallTime,
    rest: (cell) => `"${cell.slice(0, 19)}"`,
    graphql: (cell) => new Date(epochMillis(cell)).toISOString(),
  },
  instant: {
    stored: timestamptz,
    shape: z.string(),
    rest: jsonText,
    graphql: (cell) => new Date(epochMillis(cell)).toISOString(),
  },
  day: {
    stored: char,
    shape: dayText,
    rest: jsonText,
    graphql: isoDay,
  },
  millis: {
    stored: timestamptz,
    shape: int64,
    rest: (cell) => String(epochMillis(cell)),
    graphql: epochMillis,
  },
  json: {
    stored: jsonb,
    shape: z.unknown(),
    rest: (cell) => cell,
    graphql: (cell) => JSON.parse(cell) as unknown,
  },
  url: textCodec,
  future: {
    stored: timestamptz,
    shape: z.boolean(),
    rest: (cell, { now }) => String(epochMillis(cell) > now),
    graphql: (cell, { now }) => epochMillis(cell) > now,
    absent: off,
  },
  remaining: {
    stored: timestamptz,
    shape: int64,
    rest: (cell, { now }) => String(epochMillis(cell) - now),
    graphql: (cell, { now }) => epochMillis(cell) - now,
  },
} satisfies Record<string, Codec>;

/** How a feed field is stored and shown; determines its JSON type in REST and its GraphQL type. */
export type FeedFieldType = keyof typeof codecs;

/** The codec of a type. */
export function feedCodec(type: FeedFieldType): Codec {
  return codecs[type];
}

/** The form of the REST value of a column. */
export function restShape(type: FeedFieldType): z.ZodType {
  const codec = feedCodec(type);
  return codec.absent ? codec.shape : codec.shape.nullable();
}

/** The GraphQL value of a cell. */
export function graphqlDecoder(type: FeedFieldType): (cell: Cell, reading: FeedReading) => unknown {
  const codec = feedCodec(type);
  const absent = codec.absent?.graphql ?? null;
  const { graphql } = codec;
  return (cell, reading) => (cell === null ? absent : graphql(cell, reading));
}
