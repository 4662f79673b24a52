import { createHash } from 'node:crypto';
import type { Services } from '../../../core/context/context.ts';
import { BlobMissingError } from '../../../core/context/storage.ts';

type CheckServices = Pick<Services, 'db' | 'storage' | 'clock'>;

export interface StorageReport {
  /** Rows whose object is gone. */
  missing: string[];
  /** Objects with another length or content than their row says. */
  corrupt: string[];
  /** Objects that no row names. */
  orphans: { key: string; modifiedAt: Date }[];
  rows: number;
  objects: number;
}

export interface CheckOptions {
  /** Also read every object and compare its SHA-256. */
  content?: boolean;
  onProgress?: (rows: number) => void;
}

const BATCH = 500;

/** Compares the rows of blobs and exports with the objects of the storage, in batches, changing nothing. `trivium storage check`. */
export async function checkStorage(
  services: CheckServices,
  options: CheckOptions = {},
): Promise<StorageReport> {
  const report: StorageReport = { missing: [], corrupt: [], orphans: [], rows: 0, objects: 0 };
  let after = '';
  for (;;) {
    const rows = await services.db.rows(
      `SELECT storage_key, byte_size, sha256 FROM (SELECT storage_key, byte_size, sha256 FROM blob UNION ALL SELECT storage_key, byte_size, sha256 FROM export_job WHERE storage_key IS NOT NULL) k
       WHERE storage_key COLLATE "C" > $1 ORDER BY storage_key COLLATE "C" LIMIT ${BATCH}`,
      [after],
    );
    for (const [key, size, sha256] of rows)
      await checkObject(
        services,
        report,
        { key: key ?? '', size: Number(size), sha256: sha256 ?? '' },
        options,
      );
    report.rows += rows.length;
    options.onProgress?.(report.rows);
    if (rows.length < BATCH) break;
    after = rows.at(-1)?.[0] ?? '';
  }
  const { objects, orphans } = await findOrphans(services);
  return { ...report, objects, orphans };
}

/** The objects that no row names. An upload on its way stores its object before its row: only old ones are lost. */
export async function findOrphans(
  services: Pick<Services, 'db' | 'storage'>,
): Promise<Pick<StorageReport, 'orphans' | 'objects'>> {
  const report: Pick<StorageReport, 'orphans' | 'objects'> = { objects: 0, orphans: [] };
  for await (const batch of batches(services)) {
    report.objects += batch.length;
    const known = await knownKeys(
      services,
      batch.map(({ key }) => key),
    );
    report.orphans.push(...batch.filter(({ key }) => !known.has(key)));
  }
  return report;
}

async function checkObject(
  services: CheckServices,
  report: StorageReport,
  row: { key: string; size: number; sha256: string },
  options: CheckOptions,
): Promise<void> {
  const found = await services.storage.stat(row.key);
  if (!found) report.missing.push(row.key);
  else if (found.size !== row.size) report.corrupt.push(row.key);
  else if (options.content && (await digestOf(services, row.key)) !== row.sha256)
    report.corrupt.push(row.key);
}

async function digestOf(services: CheckServices, key: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of services.storage.get(key)) hash.update(chunk);
  } catch (error) {
    if (error instanceof BlobMissingError) return undefined;
    throw error;
  }
  return hash.digest('hex');
}

async function* batches(
  services: Pick<Services, 'storage'>,
): AsyncGenerator<{ key: string; modifiedAt: Date }[]> {
  let batch: { key: string; modifiedAt: Date }[] = [];
  for await (const { key, modifiedAt } of services.storage.list()) {
    batch.push({ key, modifiedAt });
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** Which of these keys a row names. */
async function knownKeys(
  services: Pick<Services, 'db'>,
  keys: readonly string[],
): Promise<Set<string>> {
  const rows = await services.db.rows(
    'SELECT storage_key FROM blob WHERE storage_key = ANY ($1::text[]) UNION ALL SELECT storage_key FROM export_job WHERE storage_key = ANY ($1::text[])',
    [[...keys]],
  );
  return new Set(rows.flatMap(([key]) => key ?? []));
}
