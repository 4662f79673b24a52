import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Services } from '../core/context/context.ts';
import { appliedMigrations } from '../core/migrations/migration-state.ts';
import { inSnapshot, type SnapshotPlace } from '../core/database/copy/read-rows.ts';
import type { Database } from '../core/database/db.ts';
import type { Signal } from '../core/signal.ts';
import { tellFull } from '../storage/tell-full.ts';
import { makeSecret } from '../dataset-management/export/archive/load-signing-key.ts';
import { END, keyOf, type DomainFileEnd, type DomainFileHeader } from './archive/domain-file.ts';
import { FileCopier } from './file-copier.ts';
import { findDomain, refused } from './find-domain.ts';
import { listFiles } from './list-files.ts';
import { openPartial } from './open-partial.ts';
import { readEnds, type DomainFileEnds } from './read-ends.ts';
import { recordCommand } from './record-command.ts';
import { writeTables } from './write-tables.ts';

type ExportServices = Pick<Services, 'db' | 'storage' | 'clock'>;

export interface ExportOptions {
  domain: string;
  file: string;
  /** An earlier export: only what has changed since is written. */
  since?: string | undefined;
  /** Only while the domain refuses writes: nothing is to change after the export. */
  locked?: boolean;
  signal: Signal;
  /** Rows and files that are done. */
  onProgress: (done: number) => void;
}

/** What was exported. */
export interface DomainExport {
  id: string;
  rows: number;
  files: number;
  missing: string[];
}

/**
 * Writes everything of a domain into a file: its rows as one snapshot of the database has them, and the files of the
 * storage that these name. Clients go on meanwhile. What an attempt before has copied of the storage is kept.
 */
export async function exportDomain(
  services: ExportServices,
  { domain, file, since, locked = false, signal, onProgress }: ExportOptions,
): Promise<DomainExport> {
  const { db } = services;
  const { id: domainId, name } = await findDomain(db, domain, ['OPEN', 'LOCKED']);
  const earlier = since === undefined ? undefined : await readEarlier(since);
  const { last = '' } = await appliedMigrations(db);
  const wanted: DomainFileHeader = {
    format: 1,
    id: randomUUID(),
    domain: { id: domainId, name },
    migration: last,
    since: earlier?.header.id ?? null,
  };
  if (earlier) refuseOther(earlier, wanted);
  const partial = await openPartial(file, wanted);
  try {
    const { writer, header } = partial;
    let done = 0;
    const step = (count: number): void => {
      signal.throwIfAborted();
      onProgress((done += count));
    };
    const copied = new Set([...partial.kept, ...(earlier?.files ?? [])]);
    const copier = new FileCopier(services.storage, writer, { copied, onFile: () => step(1) });
    // Before any snapshot: the keys that come from it go along, also those that nobody has used so far.
    await makeSecret(services);
    // Before the snapshot, which then need not stay open for long.
    await copier.copy(await listFiles(db, domainId));
    const tables = await inSnapshot(db, async (tx, place) => {
      if (locked) await requireLocked(tx, domain);
      if (earlier) refuseLater(earlier, place);
      const written = await writeTables(tx, writer, {
        domainId,
        since: earlier && {
          xmin: BigInt(earlier.end.snapshot.xmin),
          now: place.now,
          counts: earlier.end.counts,
        },
        onRows: step,
      });
      return { ...written, place };
    });
    await copier.copy(tables.files);
    if (locked) await requireLocked(db, domain);
    const end: DomainFileEnd = {
      sha256: writer.sha256,
      snapshot: { logId: tables.place.logId, xmin: String(tables.place.xmin) },
      createdAt: new Date(services.clock()).toISOString(),
      counts: tables.counts,
      files: partial.kept.size + copier.files,
      missing: copier.missing,
    };
    await writer.write(END, Buffer.from(JSON.stringify(end)));
    await recordCommand(services, 'exportDomain', { domainId, target: `export ${header.id}` });
    await partial.finish();
    return { id: header.id, rows: tables.rows, files: end.files, missing: end.missing };
  } catch (error) {
    await partial.leave();
    throw tellFull(error, `no space for ${file}: make some, and run the same again`);
  }
}

/** An export, with the keys of the files of the storage that it has. */
interface EarlierExport extends DomainFileEnds {
  files: string[];
}

async function readEarlier(path: string): Promise<EarlierExport> {
  const handle = await open(path, 'r');
  const files: string[] = [];
  const onEntry = ({ name }: { name: string }): void => {
    const key = keyOf(name);
    if (key !== undefined) files.push(key);
  };
  const ends = await readEnds(handle, { onEntry }).finally(() => handle.close());
  return { ...ends, files };
}

async function requireLocked(db: Pick<Database, 'prisma'>, domain: string): Promise<void> {
  const { state } = await findDomain(db, domain);
  if (state !== 'LOCKED')
    throw refused(`another command has unlocked the domain "${domain}": export it again`);
}

function refuseOther({ header }: EarlierExport, wanted: DomainFileHeader): void {
  if (header.domain.id !== wanted.domain.id || header.domain.name !== wanted.domain.name)
    throw refused(`the earlier export is of the domain "${header.domain.name}"`);
  if (header.migration !== wanted.migration)
    throw refused('the earlier export is of another version of Trivium: begin with a new one');
}

/** Refuses an export that is not of this database, or of what it was before it was restored: later changes would be missed. */
function refuseLater({ end: { snapshot } }: EarlierExport, { logId, now }: SnapshotPlace): void {
  if (snapshot.logId !== logId || BigInt(snapshot.xmin) > now)
    throw refused(
      'the earlier export is of another database, or of this one before it was restored: begin with a new one',
    );
}
