import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Services } from '../core/context/context.ts';
import { writeAuditLog } from '../core/context/write-audit-log.ts';
import type { Database } from '../core/database/db.ts';
import { refreshStatistics } from '../core/database/refresh-statistics.ts';
import {
  inCopy,
  listFeeds,
  raiseSequences,
  startKeeping,
} from '../core/database/copy/write-rows.ts';
import { refuseKeysOfCells } from '../core/database/copy/number-keys.ts';
import { holdDomain } from '../core/database/copy/wait-for-writes.ts';
import { AppError } from '../core/errors.ts';
import type { Signal } from '../core/signal.ts';
import { analyzeFeeds } from '../task-execution/feeds/records/feed-part-writes.sql.ts';
import { checkArrival, checkCounts } from './check-arrival.ts';
import {
  DamagedDomainFileError,
  END,
  folders,
  keyOf,
  type DomainFileHeader,
} from './archive/domain-file.ts';
import { explainClash } from './explain-clash.ts';
import { requireFiles } from './list-files.ts';
import { readEnd, readEnds } from './read-ends.ts';
import { readTables } from './read-tables.ts';
import { storeFile } from './store-file.ts';
import { readTar, type TarEntry } from './archive/tar-reader.ts';

type ImportServices = Pick<Services, 'db' | 'storage' | 'clock'>;

export interface ImportOptions {
  file: string;
  /** Keep the domain closed: the changes since are still to come. */
  hold: boolean;
  signal: Signal;
  /** Bytes that were read. */
  onProgress: (read: number) => void;
}

/** What was imported. */
export interface DomainImport {
  id: string;
  domain: string;
  rows: number;
  files: number;
  missing: string[];
  open: boolean;
}

/**
 * Reads a domain from an export: its files into the storage, then its rows in one transaction. So it is there as a whole
 * or not at all; files that an attempt before has stored are not stored again. Throws DamagedDomainFileError, and E900
 * where it can't be.
 */
export async function importDomain(
  services: ImportServices,
  { file, hold, signal, onProgress }: ImportOptions,
): Promise<DomainImport> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    // All of it is read twice: nothing is stored of a file that is damaged.
    const { header } = await readEnds(handle, {
      hash: createHash('sha256'),
      onEntry({ start }) {
        signal.throwIfAborted();
        onProgress(start / 2);
      },
    });
    await checkArrival(services.db, header);
    const entries = watched(readTar(handle, { hash: createHash('sha256') }), signal, (read) =>
      onProgress((size + read) / 2),
    );
    await nextOf(entries); // the header
    const whole = header.since === null;
    let files = 0;
    let entry = await nextOf(entries);
    const { storage, db } = services;
    const { id: domainId } = header.domain;
    const came = new Set<string>();
    const store = async (rows: Pick<Database, 'rows'>): Promise<boolean> => {
      const key = entry && keyOf(entry.name);
      if (entry === undefined || key === undefined) return false;
      came.add(key);
      if (await storeFile({ storage, db: rows }, entry, { key, domainId })) files++;
      return true;
    };
    while (await store(db)) entry = await nextOf(entries);
    const done = await inCopy(db, { bulk: whole }, async (tx) => {
      if (!whole) {
        // Again, and until the end: another command may have come in between.
        await holdDomain(tx, domainId);
        await checkArrival(tx, header);
        await startKeeping(tx);
      }
      const tables = readTables(tx, { domainId, replace: !whole });
      for (; entry !== undefined; entry = await nextOf(entries)) {
        if (entry.name === END) break;
        if (entry.name.startsWith(folders.rows)) await tables.rows(entry);
        else if (entry.name.startsWith(folders.keys)) await tables.keys(entry);
        else if (!(await store(tx)))
          throw new DamagedDomainFileError(`it has an unknown entry ${entry.name}`);
      }
      const end = await readEnd(entry, { isHashed: true });
      await tables.end();
      if (whole) await listFeeds(tx, domainId);
      else
        await requireFiles(
          { storage, db: tx },
          { domainId, except: new Set([...came, ...end.missing]) },
        );
      await checkCounts(tx, domainId, {
        came: whole ? tables.came : undefined,
        counts: end.counts,
      });
      await raiseSequences(tx);
      await refuseKeysOfCells(tx);
      await settle(tx, services, header, { hold });
      return { rows: tables.count(), missing: end.missing };
    }).catch(async (error: unknown) => {
      const clash = explainClash(error, { whole });
      // Another command may have brought the domain meanwhile, and says more than the rows that clash.
      if (whole && clash instanceof AppError) await checkArrival(db, header);
      throw clash;
    });
    await refresh(services, whole);
    return { id: header.id, domain: header.domain.name, files, ...done, open: !hold };
  } finally {
    await handle.close();
  }
}

async function* watched(
  entries: AsyncIterable<TarEntry>,
  signal: Signal,
  onProgress: (read: number) => void,
): AsyncGenerator<TarEntry> {
  for await (const entry of entries) {
    signal.throwIfAborted();
    onProgress(entry.start);
    yield entry;
  }
}

async function nextOf(entries: AsyncGenerator<TarEntry>): Promise<TarEntry | undefined> {
  const next: IteratorResult<TarEntry, unknown> = await entries.next();
  return next.done ? undefined : next.value;
}

/** Opens the domain, or keeps it closed, with a log of changes that begins now. */
async function settle(
  tx: Database,
  { clock }: ImportServices,
  { id, domain }: DomainFileHeader,
  { hold }: { hold: boolean },
): Promise<void> {
  const { id: domainId } = domain;
  const row = await tx.prisma.domain.findUnique({ where: { id: domainId } });
  if (row?.name !== domain.name)
    throw new DamagedDomainFileError(
      `it says that its domain is "${domain.name}", and ${row ? `its row says "${row.name}"` : 'has no row of it'}`,
    );
  await tx.prisma.changeLog.deleteMany({ where: { domainId } });
  const at = new Date(clock());
  await writeAuditLog(tx, {
    ...{ actor: 'operator', surface: 'COMMAND', action: 'importDomain', domainId },
    ...{ target: `export ${id}`, at },
  });
  await tx.prisma.domain.update({
    where: { id: domainId },
    data: { state: hold ? 'ARRIVING' : 'OPEN', arrival: id, arrivedAt: at },
  });
}

/** So that the first pages are not planned as if nothing was there. */
async function refresh({ db }: ImportServices, whole: boolean): Promise<void> {
  if (db.embedded) await refreshStatistics(db);
  else if (whole) await analyzeFeeds.rows(db, {});
}
