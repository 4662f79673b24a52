import type { Database } from '../db.ts';
import { keySequences } from './write-rows.ts';

/** Sequences count in steps of this: there can be one cell less. */
const CELLS = 100;

/**
 * Keys of cells begin above this, so that they are none of those that an installation gave before it was a cell. Keys of 32
 * bits: each cell then has eleven million of each table.
 */
const FIRST = 1_000_000_000;

/** Its keys may be those of an importer, however high. */
const GIVEN_KEYS = 'feed';

/** Any constant: gateways that start together number keys one after the other. */
const NUMBERING = 4_711_064;

/** The database has another number, or needs one. */
export class CellNumberError extends Error {
  override name = 'CellNumberError';
}

/**
 * Lets the keys of this database end in the number of its cell, so that no other cell gives the same: a domain keeps its keys
 * wherever it goes. Does nothing when all is as it should be. Throws CellNumberError where the database has another number.
 */
export async function numberKeys(
  db: Pick<Database, 'transaction'>,
  number: number,
  now: Date,
): Promise<void> {
  await db.transaction(async (_, tx) => {
    await tx.rows('SELECT FROM pg_advisory_xact_lock($1::bigint)', [NUMBERING]);
    const known = (await tx.prisma.cell.findFirst())?.number;
    if (known !== undefined && known !== number)
      throw new CellNumberError(
        `CELL: this database is cell ${known}, and its keys end so; it can't become cell ${number}`,
      );
    if (known === undefined) await tx.prisma.cell.create({ data: { number, createdAt: now } });
    for (const { table, column, sequence } of await keySequences(tx)) {
      const steps = `SELECT FROM pg_sequence WHERE seqrelid = '${sequence}'::regclass AND seqincrement = ${CELLS}`;
      if ((await tx.rows(steps, [])).length > 0) continue;
      // Locks the sequence: nobody takes a key until the commit.
      await tx.rows(`ALTER SEQUENCE ${sequence} INCREMENT BY ${CELLS}`, []);
      const [row] = await tx.rows(
        `SELECT greatest(${FIRST}, last_value, (SELECT max(t."${column}") FROM "${table}" t))::bigint FROM ${sequence}`,
        [],
      );
      const above = Number(row?.[0] ?? FIRST);
      const first = above - (above % CELLS) + CELLS + number;
      await tx.rows(`ALTER SEQUENCE ${sequence} START WITH ${first} RESTART WITH ${first}`, []);
    }
  });
}

/**
 * Throws CellNumberError where a database without a number has got keys of cells: it would go on with theirs.
 */
export async function refuseKeysOfCells(
  tx: Pick<Database, 'rows'> & { prisma: Pick<Database['prisma'], 'cell'> },
): Promise<void> {
  if ((await tx.prisma.cell.count()) > 0) return;
  for (const { table, sequence } of await keySequences(tx)) {
    const [row] = await tx.rows(`SELECT last_value FROM ${sequence}`, []);
    if (table !== GIVEN_KEYS && Number(row?.[0]) > FIRST)
      throw new CellNumberError(
        'CELL: the domain comes from a cell, and this database is none: give it a number first (docs/scaling.md)',
      );
  }
}
