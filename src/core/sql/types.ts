import { epochMillis } from '../time/instant-text.ts';
import type { Param } from '../wire/wire.ts';

/**
 * A type of PostgreSQL: its name there, how a cell of it is read, and (in TypeScript alone) what a parameter of it may
 * be.
 */
export interface SqlType<Out, In extends Param = Param> {
  /** `typname` of pg_type. */
  readonly name: string;
  readonly nullable?: boolean;
  read(this: void, cell: string): Out;
  /** Never there at run time. */
  readonly takes?: In;
}

export type Types = Readonly<Record<string, SqlType<unknown>>>;

/** What a row of these types holds. */
export type RowOf<R extends Types> = {
  [Name in keyof R]:
    | (R[Name] extends SqlType<infer Out> ? Out : never)
    | (R[Name] extends { nullable: true } ? null : never);
};

/** What has to be given for parameters of these types. */
export type ParamsOf<P extends Types> = {
  readonly [Name in keyof P]:
    NonNullable<P[Name]['takes']> | (P[Name] extends { nullable: true } ? null : never);
};

const asIs = (cell: string): string => cell;

export const text: SqlType<string, string> = { name: 'text', read: asIs };
/** `char(n)`. */
export const char: SqlType<string, string> = { name: 'bpchar', read: asIs };
export const uuid: SqlType<string, string> = { name: 'uuid', read: asIs };
export const int2: SqlType<number, number> = { name: 'int2', read: Number };
export const int4: SqlType<number, number> = { name: 'int4', read: Number };
/** Of a size that a number of JavaScript holds: keys of ours, counts. */
export const int8: SqlType<number, number | bigint> = { name: 'int8', read: Number };
export const float8: SqlType<number, number> = { name: 'float8', read: Number };
/** Of sums, which are of a size that a number of JavaScript holds. */
export const numeric: SqlType<number, number> = { name: 'numeric', read: Number };
export const bool: SqlType<boolean, boolean> = { name: 'bool', read: (cell) => cell === 't' };
export const timestamptz: SqlType<Date, Date> = {
  name: 'timestamptz',
  read: (cell) => new Date(epochMillis(cell)),
};
/** As PostgreSQL writes it, `{[…,…),…}`. */
export const tstzmultirange: SqlType<string, string> = { name: 'tstzmultirange', read: asIs };
export const instantText = asText(timestamptz);
/** yyyy-mm-dd. */
export const date: SqlType<string, string> = { name: 'date', read: asIs };
export const bytea: SqlType<Buffer, Buffer> = {
  name: 'bytea',
  read: (cell) => Buffer.from(cell.slice(2), 'hex'),
};
/** `\x0a…`. */
export const byteaText = asText(bytea);
/** What a json column holds is checked by who reads it. */
export const jsonb: SqlType<unknown, string> = {
  name: 'jsonb',
  read: (cell): unknown => JSON.parse(cell),
};
export const json: SqlType<unknown, string> = { ...jsonb, name: 'json' };

/** The same as PostgreSQL prints it: for cursors, and for answers that are written from the text. */
export function asText({ name }: SqlType<unknown>): SqlType<string, string> {
  return { name, read: asIs };
}

/** Text that is one of these names. */
export function oneOf<const Name extends string>(...names: readonly Name[]): SqlType<Name, string> {
  return {
    name: 'text',
    read(cell) {
      const known = names.find((name) => name === cell);
      if (known === undefined) throw new Error(`"${cell}" is none of ${names.join(', ')}`);
      return known;
    },
  };
}

/** The same, or null. */
export function nullable<T extends SqlType<unknown>>(type: T): T & { readonly nullable: true } {
  return { ...type, nullable: true };
}

/** An array; read only where no element is quoted or null, which holds for numbers, uuids and names of ours. */
export function arrayOf<Out, In extends string | number | bigint | Buffer>(
  type: SqlType<Out, In>,
): SqlType<Out[], readonly In[]> {
  return {
    name: `_${type.name}`,
    read: (cell) => (cell === '{}' ? [] : cell.slice(1, -1).split(',').map(type.read)),
  };
}

export const int2s = arrayOf(int2);
export const int4s = arrayOf(int4);
export const int8s = arrayOf(int8);
export const texts = arrayOf(text);
export const uuids = arrayOf(uuid);
