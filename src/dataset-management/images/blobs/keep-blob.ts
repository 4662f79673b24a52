import { randomUUID } from 'node:crypto';
import type { Context } from '../../../core/context/context.ts';
import type { StagedBlob } from '../../../core/context/storage.ts';
import type { Database } from '../../../core/database/db.ts';
import { lockBlob, sameBlobs, upsertBlob } from '../../content/content.sql.ts';
import { keyOfBytes } from '../../content/object-keys.ts';
import { findMissing } from './find-missing.ts';

/** Bytes in the storage that have no row yet. */
export interface KeptBytes {
  staged: StagedBlob;
  workspaceId: string;
  /** Undefined where the workspace has the same bytes already. */
  newKey: string | undefined;
  /** The key of a row whose object is gone: the row is to name `newKey` instead. */
  lostKey: string | undefined;
  /** The storage has said so. What it never answered for is left to the sweep: asking it again would keep the client waiting. */
  stored: boolean;
  /** The row that was written names `newKey`. */
  named: boolean;
}

/** The row with the same bytes was removed meanwhile: they are to be stored after all. */
export class BlobGoneError extends Error {
  override name = 'BlobGoneError';
}

/**
 * Puts bytes into the storage unless the workspace has the same ones (D-68), row and object; never shared between
 * workspaces. The caller discards what is staged at the end. Notes in `kept` what it did, also when it throws.
 */
export async function keepBytes(
  ctx: Context,
  workspaceId: string,
  blobs: readonly StagedBlob[],
  kept: KeptBytes[],
): Promise<void> {
  const hashes = blobs.map(({ sha256 }) => sha256);
  const there = await sameBlobs.rows(ctx.db, { workspaceId, hashes });
  const missing = await findMissing(ctx, there);
  for (const { storageKey } of missing)
    ctx.log.error(
      { requestId: ctx.requestId, storageKey },
      'the storage has lost an object: stored anew with the bytes of an upload',
    );
  for (const staged of blobs) {
    const row = there.find(({ sha256 }) => sha256 === staged.sha256);
    const lostKey = row && missing.has(row) ? row.storageKey : undefined;
    const newKey =
      row && lostKey === undefined ? undefined : keyOfBytes(workspaceId, staged.sha256);
    kept.push({ staged, workspaceId, newKey, lostKey, stored: false, named: false });
  }
  await putNew(ctx, kept);
}

/** Puts the bytes into the storage, too, that were there: after a BlobGoneError. What has been put is there still. */
export async function keepGone(ctx: Context, kept: readonly KeptBytes[]): Promise<void> {
  for (const one of kept) one.newKey ??= keyOfBytes(one.workspaceId, one.staged.sha256);
  await putNew(ctx, kept);
}

async function putNew(ctx: Context, kept: readonly KeptBytes[]): Promise<void> {
  const put = async (one: KeptBytes): Promise<void> => {
    if (one.newKey === undefined || one.stored) return;
    await ctx.storage.put(one.staged, one.newKey);
    one.stored = true;
  };
  for (const outcome of await Promise.allSettled(kept.map(put)))
    if (outcome.status === 'rejected') throw outcome.reason;
}

/**
 * Writes the row of kept bytes, or finds that of the same bytes, and returns its id; the row stays locked against
 * collection until the transaction ends.
 */
export async function writeBlob(
  db: Pick<Database, 'rows'>,
  kept: KeptBytes,
  now: Date,
): Promise<string> {
  const { staged, workspaceId, newKey, lostKey = null } = kept;
  const { sha256, crc32, size: byteSize } = staged;
  const same = { workspaceId, sha256 };
  const row =
    newKey === undefined
      ? await lockBlob.first(db, same)
      : await upsertBlob.first(db, {
          ...same,
          id: randomUUID(),
          crc32,
          byteSize,
          newKey,
          lostKey,
          now,
        });
  if (row === undefined) throw new BlobGoneError('the blob has gone');
  kept.named = row.storageKey === newKey;
  return row.id;
}

/**
 * Removes the objects of kept bytes that no row names: all of them after a rollback, those of the losers when two
 * uploads brought the same bytes. What can't be removed is left to the sweep: the outcome of the upload stays what it is.
 * Not to be called where the outcome of a commit is unknown: its row may still appear.
 */
export async function dropUnused(
  ctx: Context,
  kept: readonly KeptBytes[],
  committed: boolean,
): Promise<void> {
  for (const { newKey, stored, named } of kept) {
    if (newKey === undefined || !stored || (committed && named)) continue;
    await ctx.storage.delete(newKey).catch((error: unknown) => {
      const { requestId } = ctx;
      ctx.log.warn({ err: error, requestId, storageKey: newKey }, 'an unused object was left');
    });
  }
}
