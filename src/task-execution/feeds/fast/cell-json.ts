import { isEnumType, type GraphQLEnumType, type GraphQLLeafType } from 'graphql';
import { writeCompactJson } from '../../../core/json/json.ts';
import { feedCodec, type FeedFieldType, type FeedReading } from '../fields/feed-codecs.ts';
import {
  wallTimeWriter,
  writeAsIs,
  writeBoolean,
  writeConstant,
  writeFlag,
  writeFuture,
  writeMillis,
  writeRemaining,
  writeSafeInteger,
  writeText,
  type CellWriter,
} from './cell-writers.ts';

type Writers = Partial<Record<FeedFieldType, CellWriter>>;

/** Write the same bytes as the `rest` text of the codecs; rarely requested types have none. */
const restWriters: Writers = {
  text: writeText,
  status: writeText,
  integer: writeAsIs,
  bigInteger: writeAsIs,
  boolean: writeBoolean,
  flag: writeFlag,
  wall: wallTimeWriter(' '),
  millis: writeMillis,
  json: writeAsIs,
  url: writeText,
  future: writeFuture,
  remaining: writeRemaining,
};

/** Write the same bytes as the JSON of the codecs' `graphql` value, for GraphQL types that don't change it. */
const graphqlWriters: Writers = {
  text: writeText,
  integer: writeAsIs,
  bigInteger: writeSafeInteger,
  boolean: writeBoolean,
  flag: writeBoolean,
  wall: wallTimeWriter('T'),
  millis: writeMillis,
  json: (out, { bytes, from, to }) => writeCompactJson(out, bytes, from, to),
  url: writeText,
  future: writeFuture,
  remaining: writeRemaining,
};

/** How to write the JSON of a cell. */
export interface CellJson {
  /** JSON of a null cell; undefined if null is not allowed. */
  null: string | undefined;
  bytes: CellWriter | undefined;
  /** Produces the JSON when `bytes` can't. */
  text: (cell: string, reading: FeedReading) => string;
}

/** The REST value of a column. */
export function restJson(type: FeedFieldType): CellJson {
  const { absent, rest } = feedCodec(type);
  return { null: absent?.rest ?? 'null', bytes: restWriters[type], text: rest };
}

/** The GraphQL value of a column whose field has this type. */
export function graphqlJson(
  type: FeedFieldType,
  field: { nullable: boolean; leaf: GraphQLLeafType },
): CellJson {
  const { absent, graphql } = feedCodec(type);
  return {
    null: absent ? JSON.stringify(absent.graphql) : field.nullable ? 'null' : undefined,
    bytes: isEnumType(field.leaf) ? enumWriter(field.leaf) : graphqlWriters[type],
    text: (cell, reading) => JSON.stringify(field.leaf.serialize(graphql(cell, reading))),
  };
}

/** Writes the name of an enum value whose database value is one letter. */
function enumWriter(type: GraphQLEnumType): CellWriter {
  const names = new Map(
    type
      .getValues()
      .flatMap(({ name, value }: { name: string; value: unknown }) =>
        typeof value === 'string' && value.length === 1
          ? [[value.charCodeAt(0), Buffer.from(`"${name}"`)] as const]
          : [],
      ),
  );
  return (out, { bytes, from, to }) => {
    const name = to - from === 1 ? names.get(bytes[from] ?? 0) : undefined;
    return name !== undefined && writeConstant(out, name);
  };
}
