import { isEnumType, type GraphQLEnumType, type GraphQLLeafType } from 'graphql';
import { z } from 'zod';
import type { Cell } from '../../core/database/db.ts';
import { readInstant, writeWall } from '../../core/json/instant-bytes.ts';
import { SAFE_DIGITS, writeCompactJson } from '../../core/json/compact-json.ts';
import type { JsonWriter } from '../../core/json/json-writer.ts';
import { epochMillis, type WallClock } from '../../core/time.ts';
import { feedStatuses } from './feed-filter.ts';

/** How a page is read: what the values of some fields depend on besides the row. */
export interface FeedReading {
  /** Epoch milliseconds. */
  now: number;
  /** Of the session's zone. */
  clock: WallClock;
}

/** Writes the JSON of a cell that is not null, whose text stands between two places. False: it can't, and has written nothing. */
export type WriteCell = (
  out: JsonWriter,
  bytes: Buffer,
  from: number,
  to: number,
  reading: FeedReading,
) => boolean;

interface Codec {
  /** JSON text of the REST value of a cell that is not null. */
  rest: (cell: string, reading: FeedReading) => string;
  /** GraphQL value of a cell that is not null. */
  graphql: (cell: string, reading: FeedReading) => unknown;
  /** The same bytes as `rest`, and as `graphql` when its type leaves the value as it is, without making strings; where they are seldom asked for there are none. */
  restBytes?: WriteCell;
  graphqlBytes?: WriteCell;
  /** Form of the REST value. */
  shape: z.ZodType;
  /** Stands for a null cell: flags and booleans of a user without a state row are off. */
  absent?: { rest: string; graphql: unknown };
}

const off = { rest: 'false', graphql: false };
const jsonText = (cell: string): string => JSON.stringify(cell);

const int64 = z.int().meta({ format: 'int64' });
/** `yyyy-MM-dd HH:mm:ss`. */
const wallTime = z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
/** `yyyyMMdd`. */
const dayText = z.string().regex(/^\d{8}$/);

const TRUE = 't'.charCodeAt(0);
const QUOTE = Buffer.from('"');
const [yes, no, one, zero] = ['true', 'false', '1', '0'].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
  Buffer,
];

const writeConstant = (out: JsonWriter, text: Buffer): true => {
  out.copy(text, 0, text.length);
  return true;
};
const writeText: WriteCell = (out, bytes, from, to) => {
  out.string(bytes, from, to);
  return true;
};
const writeAsIs: WriteCell = (out, bytes, from, to) => {
  out.copy(bytes, from, to);
  return true;
};
const writeSafe: WriteCell = (out, bytes, from, to, reading) =>
  to - from <= SAFE_DIGITS && writeAsIs(out, bytes, from, to, reading);
const writeBoolean: WriteCell = (out, bytes, from) =>
  writeConstant(out, bytes[from] === TRUE ? yes : no);
const writeFlag: WriteCell = (out, bytes, from) =>
  writeConstant(out, bytes[from] === TRUE ? one : zero);
const writeWallTime = (separator: string): WriteCell => {
  const code = separator.charCodeAt(0);
  return (out, bytes, from, to, { clock }) => {
    const ms = readInstant(bytes, from, to);
    if (Number.isNaN(ms)) return false;
    writeConstant(out, QUOTE);
    writeWall(out, ms + clock.offsetAt(ms), code);
    return writeConstant(out, QUOTE);
  };
};
/** A number made of an instant. */
const writeNumber =
  (of: (ms: number, now: number) => number): WriteCell =>
  (out, bytes, from, to, { now }) => {
    const ms = readInstant(bytes, from, to);
    if (Number.isNaN(ms)) return false;
    out.integer(of(ms, now));
    return true;
  };
const writeMillis = writeNumber((ms) => ms);
const writeRemaining = writeNumber((ms, now) => ms - now);
const writeFuture: WriteCell = (out, bytes, from, to, { now }) => {
  const ms = readInstant(bytes, from, to);
  return !Number.isNaN(ms) && writeConstant(out, ms > now ? yes : no);
};

const codecs = {
  text: {
    shape: z.string(),
    rest: jsonText,
    graphql: (cell) => cell,
    restBytes: writeText,
    graphqlBytes: writeText,
  },
  status: {
    shape: z.enum(feedStatuses),
    rest: (cell) => `"${cell}"`,
    graphql: (cell) => cell,
    restBytes: writeText,
  },
  integer: {
    shape: z.int(),
    rest: (cell) => cell,
    graphql: Number,
    restBytes: writeAsIs,
    graphqlBytes: writeAsIs,
  },
  bigInteger: {
    shape: int64,
    rest: (cell) => cell,
    graphql: Number,
    restBytes: writeAsIs,
    graphqlBytes: writeSafe,
  },
  boolean: {
    shape: z.boolean(),
    rest: (cell) => (cell === 't' ? 'true' : 'false'),
    graphql: (cell) => cell === 't',
    absent: off,
    restBytes: writeBoolean,
    graphqlBytes: writeBoolean,
  },
  flag: {
    shape: z.literal([0, 1]),
    rest: (cell) => (cell === 't' ? '1' : '0'),
    graphql: (cell) => cell === 't',
    absent: { rest: '0', graphql: false },
    restBytes: writeFlag,
    graphqlBytes: writeBoolean,
  },
  wall: {
    shape: wallTime,
    rest: (cell, { clock }) => `"${clock(cell)}"`,
    graphql: (cell, { clock }) => clock(cell).replace(' ', 'T'),
    restBytes: writeWallTime(' '),
    graphqlBytes: writeWallTime('T'),
  },
  utc: {
    shape: wallTime,
    rest: (cell) => `"${cell.slice(0, 19)}"`,
    graphql: (cell) => new Date(epochMillis(cell)).toISOString(),
  },
  instant: {
    shape: z.string(),
    rest: jsonText,
    graphql: (cell) => new Date(epochMillis(cell)).toISOString(),
  },
  day: {
    shape: dayText,
    rest: jsonText,
    graphql: (cell) => `${cell.slice(0, 4)}-${cell.slice(4, 6)}-${cell.slice(6)}`,
  },
  millis: {
    shape: int64,
    rest: (cell) => String(epochMillis(cell)),
    graphql: epochMillis,
    restBytes: writeMillis,
    graphqlBytes: writeMillis,
  },
  json: {
    shape: z.unknown(),
    rest: (cell) => cell,
    graphql: (cell) => JSON.parse(cell) as unknown,
    restBytes: writeAsIs,
    graphqlBytes: writeCompactJson,
  },
  url: {
    shape: z.string(),
    rest: jsonText,
    graphql: (cell) => cell,
    restBytes: writeText,
    graphqlBytes: writeText,
  },
  future: {
    shape: z.boolean(),
    rest: (cell, { now }) => String(epochMillis(cell) > now),
    graphql: (cell, { now }) => epochMillis(cell) > now,
    absent: off,
    restBytes: writeFuture,
    graphqlBytes: writeFuture,
  },
  remaining: {
    shape: int64,
    rest: (cell, { now }) => String(epochMillis(cell) - now),
    graphql: (cell, { now }) => epochMillis(cell) - now,
    restBytes: writeRemaining,
    graphqlBytes: writeRemaining,
  },
} satisfies Record<string, Codec>;

/** How a feed field is stored and shown; decides its JSON type in REST and its GraphQL type. */
export type FeedFieldType = keyof typeof codecs;

/** How the JSON of a cell is written: `null` stands for a null cell (undefined: there must be none), `text` makes it where `bytes` can't. */
export interface CellJson {
  null: string | undefined;
  bytes: WriteCell | undefined;
  text: (cell: string, reading: FeedReading) => string;
}

/** The REST value of a column. */
export function restJson(type: FeedFieldType): CellJson {
  const { absent, rest, restBytes }: Codec = codecs[type];
  return { null: absent?.rest ?? 'null', bytes: restBytes, text: rest };
}

/** The GraphQL value of a column whose field has this type. */
export function graphqlJson(
  type: FeedFieldType,
  field: { nullable: boolean; leaf: GraphQLLeafType },
): CellJson {
  const { absent, graphql, graphqlBytes }: Codec = codecs[type];
  const text = (cell: string, reading: FeedReading): string =>
    JSON.stringify(field.leaf.serialize(graphql(cell, reading)));
  return {
    null: absent ? JSON.stringify(absent.graphql) : field.nullable ? 'null' : undefined,
    bytes: isEnumType(field.leaf) ? writeName(field.leaf) : graphqlBytes,
    text,
  };
}

/** Writes the name of an enum value that is one letter in the database. */
function writeName(type: GraphQLEnumType): WriteCell {
  const names = new Map(
    type
      .getValues()
      .flatMap(({ name, value }: { name: string; value: unknown }) =>
        typeof value === 'string' && value.length === 1
          ? [[value.charCodeAt(0), Buffer.from(`"${name}"`)] as const]
          : [],
      ),
  );
  return (out, bytes, from, to) => {
    const name = to - from === 1 ? names.get(bytes[from] ?? 0) : undefined;
    return name !== undefined && writeConstant(out, name);
  };
}

/** The form of the REST value of a column. */
export function restShape(type: FeedFieldType): z.ZodType {
  const codec: Codec = codecs[type];
  return codec.absent ? codec.shape : codec.shape.nullable();
}

/** The GraphQL value of a cell. */
export function graphqlDecoder(type: FeedFieldType): (cell: Cell, reading: FeedReading) => unknown {
  const codec: Codec = codecs[type];
  const absent = codec.absent?.graphql ?? null;
  const { graphql } = codec;
  return (cell, reading) => (cell === null ? absent : graphql(cell, reading));
}
