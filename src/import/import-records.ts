import type { Services } from '../core/context/context.ts';
import { writeAuditLog } from '../core/context/write-audit-log.ts';
import { inTransaction } from '../core/context/in-transaction.ts';
import type { Effect, ImportLine, ImportRun, RecordKind } from '../core/records/record-kind.ts';
import { planAgain } from '../core/sql/session-settings.ts';
import { refreshStatistics } from '../core/database/refresh-statistics.ts';
import { waitForLock } from '../core/sql/writes.sql.ts';
import {
  analyzeFeeds,
  startBulkLoad,
} from '../task-execution/feeds/records/feed-part-writes.sql.ts';
import { ImportError, Problems } from './import-error.ts';
import { recordKinds } from './kinds.ts';
import { loadDirectory } from './load-directory.ts';
import { oneAhead } from './one-ahead.ts';
import { parseRecord } from './parse-record.ts';
import type { SourceLine } from './read-lines.ts';

export type ImportServices = Pick<Services, 'db' | 'clock' | 'log'>;

export interface ImportOptions {
  /** Name of the source in error messages. */
  name: string;
  /** Called after every batch with the number of records read so far. */
  onProgress?: ((records: number) => void) | undefined;
}

/** What became of the records, by kind, in the order in which the kinds first appeared. */
export type ImportCounts = Record<string, Record<Effect, number>>;

const BATCH_RECORDS = 1000;
/** Limits the memory for long records. */
const BATCH_CHARACTERS = 4_000_000;
/** From this many records on, a server's planner statistics are refreshed at once. */
const ANALYZE_FROM = 1000;
/** An arbitrary constant: imports run one after the other, so that a free key stays free. */
const IMPORT_LOCK = 4_711_001;

/**
 * Imports a file of records in one transaction: all of it, or nothing and an ImportError that names every fault. Importing the
 * same file again changes nothing. Memory stays flat however long the file is.
 */
export async function importRecords(
  services: ImportServices,
  source: AsyncIterable<SourceLine>,
  options: ImportOptions,
): Promise<ImportCounts> {
  const counts: ImportCounts = {};
  const records = await inTransaction(services, async ({ db }) => {
    await startBulkLoad.rows(db, {});
    await waitForLock.rows(db, { lock: IMPORT_LOCK });
    const problems = new Problems();
    const run: ImportRun = {
      db,
      directory: await loadDirectory(db),
      parents: new Set(),
      domains: new Set(),
      now: services.clock(),
      problem: (line, field, reason) => problems.add({ line, field, reason }),
    };
    let [read, planned] = [0, 0];
    for await (const batch of oneAhead(readBatches(source, run))) {
      const { kind, lines } = batch;
      await run.directory.readUsers(lines.flatMap(({ value }) => kind.logins?.(value) ?? []));
      const effects = await kind.write(lines, run);
      const count = (counts[kind.name] ??= { new: 0, changed: 0, same: 0 });
      for (const effect of effects) count[effect]++;
      read += lines.length;
      options.onProgress?.(read);
      if (read - planned >= BATCH_RECORDS) {
        await planAgain(db);
        planned = read;
      }
    }
    // The last kinds first: that of configuration writes rows which others want to write, too.
    for (const kind of recordKinds.toReversed())
      if (counts[kind.name] !== undefined) await kind.finish?.(run);
    if (problems.total > 0) throw new ImportError(options.name, problems.first(), problems.total);
    await recordImport(run, counts);
    return read;
  });
  await analyze(services, records);
  services.log.info({ source: options.name, ...counts }, 'imported');
  return counts;
}

/** One entry of the audit log for each domain of the file. */
async function recordImport({ db, domains, now }: ImportRun, counts: ImportCounts): Promise<void> {
  const target = Object.entries(counts)
    .map(([kind, of]) => `${kind} ${Object.values(of).reduce((sum, count) => sum + count, 0)}`)
    .join(', ');
  const what = { actor: 'operator', surface: 'IMPORT', action: 'import', target } as const;
  for (const domainId of domains.size > 0 ? domains : [null])
    await writeAuditLog(db, { ...what, domainId, at: new Date(now) });
}

interface Batch {
  kind: RecordKind;
  lines: ImportLine<unknown>[];
}

/** Groups neighbouring records of one kind, because one statement writes a batch. */
async function* readBatches(
  source: AsyncIterable<SourceLine>,
  run: ImportRun,
): AsyncGenerator<Batch> {
  let batch: Batch | undefined;
  let keys = new Set<string>();
  let characters = 0;
  for await (const item of source) {
    if ('fault' in item) {
      run.problem(item.line, '', item.fault);
      continue;
    }
    const parsed = parseRecord(item.text);
    if ('problems' in parsed) {
      for (const problem of parsed.problems) run.problem(item.line, problem.field, problem.reason);
      continue;
    }
    const key = parsed.kind.key(parsed.value);
    const full =
      batch &&
      (batch.kind !== parsed.kind ||
        batch.lines.length >= BATCH_RECORDS ||
        characters >= BATCH_CHARACTERS ||
        keys.has(key));
    if (batch && full) {
      yield batch;
      batch = undefined;
    }
    if (!batch) {
      batch = { kind: parsed.kind, lines: [] };
      keys = new Set();
      characters = 0;
    }
    batch.lines.push({ line: item.line, value: parsed.value });
    keys.add(key);
    characters += item.text.length;
  }
  if (batch) yield batch;
}

/**
 * Refreshes the planner's statistics, outside the import's transaction, so that readers benefit at once. A server's
 * autovacuum handles small imports and other tables.
 */
async function analyze({ db }: ImportServices, records: number): Promise<void> {
  if (db.embedded) await refreshStatistics(db);
  else if (records >= ANALYZE_FROM)
    await inTransaction({ db }, async (tx) => {
      await startBulkLoad.rows(tx.db, {});
      await analyzeFeeds.rows(tx.db, {});
    });
}
