import type { Database } from '../db.ts';
import type { Prisma } from '../open-prisma.ts';
import type { Signal } from '../../signal.ts';
import type { Cell, Param, Row, Statements } from '../../wire/wire.ts';

/** The database from which one request reads lists and counts. */
export interface Reads extends Statements {
  /** The same reads, cancelled with the signal. */
  within: (signal: Signal) => Reads;
  /** For everyday reads. */
  prisma: Prisma;
  /** How old its data may be, in milliseconds: 0 on the primary. */
  behindMs: number;
}

/** Reads from the primary. */
export function readsOn(db: Database): Reads {
  return new PrimaryReads(db);
}

/** Made for most requests, few of which call Prisma: its client is looked up when they do. */
class PrimaryReads implements Reads {
  readonly #db: Database;
  readonly behindMs = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  get prisma(): Prisma {
    return this.#db.prisma;
  }

  rows(sql: string, params: readonly Param[], signal?: Signal): Promise<Cell[][]> {
    return this.#db.rows(sql, params, signal);
  }

  read(sql: string, params: readonly Param[], signal?: Signal): Promise<Row[]> {
    return this.#db.read(sql, params, signal);
  }

  within(signal: Signal): Reads {
    return new PrimaryReads(this.#db.within(signal));
  }
}
