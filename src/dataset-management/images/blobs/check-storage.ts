import { createHash } from 'node:crypto';
import type { Services } from '../../../core/context/context.ts';
import { BlobMissingError, type BlobStat } from '../../../core/context/storage.ts';
import type { Signal } from '../../../core/signal.ts';
import { limitParallel } from '../../../core/turns/limit.ts';
import type { RowOf } from '../../../core/sql/types.ts';
import { knownObjects, objectsAfter } from '../../content/content.sql.ts';
import { isOwnKey } from '../../content/object-keys.ts';

type CheckServices = Pick<Services, 'db' | 'storage' | 'clock'>;

export interface StorageReport {
  /** Rows whose object is missing. */
  missing: string[];
  /** Objects with another length or content than their row says. */
  corrupt: string[];
  /** Objects to which no row refers. */
  orphans: { key: string; modifiedAt: Date }[];
  rows: number;
  objects: number;
}

export interface CheckOptions {
  /** Also read every object and compare its SHA-256. */
  content?: boolean;
  /** Ends the check. */
  signal?: Signal;
}

const BATCH = 500;
/** Objects that are looked at at once. */
const LOOKS = 16;

/**
 * Compares the rows of blobs and exports with the objects of the storage, in batches, changing nothing. `trivium
 * storage check`.
 */
export async function checkStorage(
  services: CheckServices,
  options: CheckOptions = {},
): Promise<StorageReport> {
  const report: StorageReport = { missing: [], corrupt: [], orphans: [], rows: 0, objects: 0 };
  const limited = limitParallel(LOOKS);
  let after = '';
  for (;;) {
    const rows = await objectsAfter.rows(services.db, { after, limit: BATCH });
    const faults = await Promise.all(
      rows.map((row) => limited(() => faultOf(services, row, options))),
    );
    for (const [at, { storageKey }] of rows.entries()) {
      const fault = faults[at];
      if (fault) report[fault].push(storageKey);
    }
    report.rows += rows.length;
    if (rows.length < BATCH) break;
    after = rows.at(-1)?.storageKey ?? '';
  }
  const { objects, orphans } = await findOrphans(services, options.signal);
  return { ...report, objects, orphans };
}

/**
 * The objects of ours to which no row refers. An upload stores its object before its row, so only old ones count. Throws the
 * reason of `stop`.
 */
export async function findOrphans(
  services: Pick<Services, 'db' | 'storage'>,
  stop?: Signal,
): Promise<Pick<StorageReport, 'orphans' | 'objects'>> {
  const report: Pick<StorageReport, 'orphans' | 'objects'> = { objects: 0, orphans: [] };
  for await (const batch of batches(services.storage.list())) {
    stop?.throwIfAborted();
    report.objects += batch.length;
    const rows = await knownObjects.rows(services.db, { keys: batch.map(({ key }) => key) });
    const known = new Set(rows.map(({ storageKey }) => storageKey));
    report.orphans.push(...batch.filter(({ key }) => !known.has(key)));
  }
  return report;
}

async function faultOf(
  services: CheckServices,
  { storageKey: key, byteSize, sha256 }: RowOf<typeof objectsAfter.row>,
  options: CheckOptions,
): Promise<'missing' | 'corrupt' | undefined> {
  options.signal?.throwIfAborted();
  const found = await services.storage.stat(key);
  if (!found) return 'missing';
  const same =
    found.size === byteSize && (!options.content || (await digestOf(services, key)) === sha256);
  return same ? undefined : 'corrupt';
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

/** The objects of ours in batches. */
async function* batches(objects: AsyncIterable<BlobStat>): AsyncGenerator<BlobStat[]> {
  let batch: BlobStat[] = [];
  for await (const object of objects) {
    if (isOwnKey(object.key)) batch.push(object);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
