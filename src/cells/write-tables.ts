import { copiedTables, type DomainTable } from '../core/database/copy/domain-tables.ts';
import { copiedColumns, countRows, readRows } from '../core/database/copy/read-rows.ts';
import { KEY_GAP } from '../core/database/copy/write-rows.ts';
import type { Database } from '../core/database/db.ts';
import type { Cell } from '../core/wire/wire.ts';
import { folders, most } from './archive/domain-file.ts';
import { refused } from './find-domain.ts';
import { signingSeeds } from './signing-seeds.ts';
import type { TarWriter } from './archive/tar-writer.ts';

/** Longest entry, in bytes, if a row is not longer. */
const PIECE = 2_000_000;

/** What an earlier export had. */
interface Since {
  xmin: bigint;
  /** The transaction that is next. */
  now: bigint;
  counts: Readonly<Record<string, number>>;
}

export interface WriteOptions {
  domainId: number;
  /** Only what has changed since, and the keys of everything. */
  since: Since | undefined;
  onRows: (count: number) => void;
}

/** Writes the rows of all tables into an export: for each some entries, whose first line has the names of the columns. */
export async function writeTables(
  tx: Database,
  writer: TarWriter,
  { domainId, since, onRows }: WriteOptions,
): Promise<{ rows: number; counts: Record<string, number>; files: string[] }> {
  const counts: Record<string, number> = {};
  const files: string[] = [];
  let rows = 0;
  // Before all rows: what is gone has to go first, as a new row may have its name.
  if (since)
    for (const table of copiedTables)
      counts[table.name] = await writeKeys(tx, writer, table, { domainId, since });
  for (const table of copiedTables) {
    const columns = (await copiedColumns(tx, table)).map(({ name }) => name);
    const entries = new Entries(writer, folders.rows + table.name, JSON.stringify(columns));
    const fileAt = columns.indexOf(table.file ?? '');
    const seeds = await signingSeeds(tx, table, columns);
    let changed = 0;
    for await (const batch of readRows(tx, table, columns, { domainId, since })) {
      for (const row of batch) await entries.add(JSON.stringify(seeds(row)));
      files.push(...batch.flatMap((row) => row[fileAt] ?? []));
      changed += batch.length;
      onRows(batch.length);
    }
    await entries.end();
    rows += changed;
    counts[table.name] ??= changed;
  }
  return { rows, counts, files };
}

/**
 * Writes the keys of all rows of a table, unless none has come, gone or changed since: what is not among them was
 * deleted. Returns their number.
 */
async function writeKeys(
  tx: Database,
  writer: TarWriter,
  table: DomainTable,
  { domainId, since }: { domainId: number; since: Since },
): Promise<number> {
  const count = await countRows(tx, table, { domainId });
  const changed = await countRows(tx, table, { domainId, since });
  if (changed === 0 && count === since.counts[table.name]) return count;
  const entries = new Entries(writer, folders.keys + table.name, JSON.stringify(table.key));
  for await (const batch of readRows(tx, table, table.key, { domainId }))
    for (const row of batch) await entries.add(JSON.stringify(keyText(row)));
  await entries.end(true);
  return count;
}

const keyText = (row: readonly Cell[]): string => row.join(KEY_GAP);

/** Lines that are collected into entries of an archive. */
class Entries {
  readonly #writer: TarWriter;
  readonly #name: string;
  readonly #first: Buffer;
  #lines: Buffer[] = [];
  #bytes = 0;
  #number = 0;

  constructor(writer: TarWriter, name: string, first: string) {
    this.#writer = writer;
    this.#name = name;
    this.#first = Buffer.from(`${first}\n`);
  }

  /** Throws E900 for a line that no entry can have. */
  async add(text: string): Promise<void> {
    const line = Buffer.from(`${text}\n`);
    if (this.#first.length + line.length > most.bytes)
      throw refused(
        `a row of ${this.#name.split('/')[1]} has ${line.length} bytes: an export can't have more than ${most.bytes} in one`,
      );
    if (this.#lines.length > 0 && this.#bytes + line.length > PIECE) await this.#write();
    this.#lines.push(line);
    this.#bytes += line.length;
    if (this.#lines.length >= most.lines) await this.#write();
  }

  /** Writes what is left; `even` an entry without lines, if there is no other. */
  async end(even = false): Promise<void> {
    if (this.#lines.length > 0 || (even && this.#number === 0)) await this.#write();
  }

  async #write(): Promise<void> {
    const number = String(++this.#number).padStart(6, '0');
    const bytes = Buffer.concat([this.#first, ...this.#lines]);
    [this.#lines, this.#bytes] = [[], 0];
    await this.#writer.write(`${this.#name}/${number}.ndjson`, bytes);
  }
}
