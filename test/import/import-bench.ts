import { openDatabase, type Database } from '../../src/core/database/db.ts';
import type { Cell } from '../../src/core/wire/wire.ts';
import { ImportError, type Problem } from '../../src/import/import-error.ts';
import {
  importRecords,
  type ImportCounts,
  type ImportServices,
} from '../../src/import/import-records.ts';
import { readLines } from '../../src/import/read-lines.ts';
import { freshDatabase } from '../support/app.ts';

/** A record, or a line as it is. */
export type Line = object | string | Uint8Array;

/** A database of its own and short words for importing into it. */
export interface ImportBench {
  db: Database;
  services: ImportServices;
  /** Time of the next imports, epoch milliseconds. */
  now: number;
  load(...lines: Line[]): Promise<ImportCounts>;
  /** Imports what must be refused and returns the faults. */
  refused(...lines: Line[]): Promise<readonly Problem[]>;
  /** The first row. */
  row(sql: string, ...params: (string | number)[]): Promise<Cell[]>;
  close(): Promise<void>;
}

/** Opens an empty database of its own: PGlite in memory, or PostgreSQL when TEST_DATABASE_URL is set. */
export async function openImportBench(): Promise<ImportBench> {
  const db = await openDatabase({ database: await freshDatabase() });
  const silent = (): void => undefined;
  const bench: ImportBench = {
    db,
    services: {
      db,
      clock: () => bench.now,
      log: { debug: silent, info: silent, warn: silent, error: silent, fatal: silent },
    },
    now: Date.UTC(2026, 0, 5, 12),
    load: (...lines) =>
      importRecords(bench.services, readLines(asBytes(lines)), { name: 'test.ndjson' }),
    async refused(...lines) {
      try {
        await bench.load(...lines);
      } catch (error) {
        if (error instanceof ImportError) return error.problems;
        throw error;
      }
      throw new Error('the import was not refused');
    },
    row: async (sql, ...params) => (await db.rows(sql, params))[0] ?? [],
    close: () => db.close(),
  };
  return bench;
}

/** The bytes of a file of these lines. */
export async function* asBytes(lines: readonly Line[]): AsyncGenerator<Uint8Array> {
  for (const line of lines) {
    yield line instanceof Uint8Array
      ? line
      : Buffer.from(typeof line === 'string' ? line : JSON.stringify(line));
    yield Buffer.from('\n');
  }
}
