import { randomBytes, randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { Context } from '../../../core/context/context.ts';
import type { StagedBlob } from '../../../core/context/storage.ts';
import { findMissing } from './find-missing.ts';

/** Bytes that are in the storage and wait for their row. */
export interface KeptBytes {
  staged: StagedBlob;
  workspaceId: string;
  /** Undefined when the workspace had the same bytes already. */
  newKey: string | undefined;
  /** The key of a row whose object is gone: the row is to name `newKey` instead. */
  lostKey: string | undefined;
  /** The storage has said so. What it never answered for is left to the sweep: asking it again would keep the client waiting. */
  stored: boolean;
  /** The row that was written names `newKey`. */
  named: boolean;
}

/** The row of the same bytes has gone meanwhile: keep them anew. */
export class BlobGoneError extends Error {
  override name = 'BlobGoneError';
}

/** Puts bytes into the storage unless the workspace has the same ones (D-68), row and object; never shared between workspaces. The caller discards what is staged at the end. Notes in `kept` what it did, also when it throws. */
export async function keepBytes(
  ctx: Context,
  workspaceId: string,
  blobs: readonly StagedBlob[],
  kept: KeptBytes[],
): Promise<void> {
  // As the column is: compared as text, the index would not serve, and an upload would read every row of its workspace.
  const rows = await ctx.db.rows(
    'SELECT sha256, storage_key, byte_size FROM blob WHERE workspace_id = $1 AND sha256 = ANY ($2::bpchar[])',
    [workspaceId, blobs.map(({ sha256 }) => sha256)],
  );
  const there = rows.map(([sha256, storageKey, size]) => ({
    sha256,
    storageKey: storageKey ?? '',
    size: Number(size),
  }));
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
      row && lostKey === undefined
        ? undefined
        : `${workspaceId}/${staged.sha256.slice(0, 2)}/${staged.sha256}-${randomBytes(6).toString('hex')}`;
    kept.push({ staged, workspaceId, newKey, lostKey, stored: false, named: false });
  }
  const put = async (one: KeptBytes, newKey: string): Promise<void> => {
    await ctx.storage.put(one.staged, newKey);
    one.stored = true;
  };
  const puts = await Promise.allSettled(
    kept.flatMap((one) => (one.newKey === undefined ? [] : [put(one, one.newKey)])),
  );
  for (const outcome of puts) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Writes the row of kept bytes, or finds that of the same bytes, and returns its id; the row stays locked against collection until the transaction ends. */
export async function writeBlob(client: ClientBase, kept: KeptBytes, now: Date): Promise<string> {
  const { staged, workspaceId, newKey, lostKey = null } = kept;
  const { rows } =
    newKey === undefined
      ? await client.query<{ id: string; storage_key: string }>(
          'SELECT id, storage_key FROM blob WHERE workspace_id = $1 AND sha256 = $2 FOR UPDATE',
          [workspaceId, staged.sha256],
        )
      : await client.query<{ id: string; storage_key: string }>(
          `INSERT INTO blob AS b (id, workspace_id, sha256, crc32, byte_size, storage_key, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
           ON CONFLICT (workspace_id, sha256) DO UPDATE SET storage_key = CASE b.storage_key WHEN $8 THEN excluded.storage_key ELSE b.storage_key END
           RETURNING id, storage_key`,
          [
            randomUUID(),
            workspaceId,
            staged.sha256,
            staged.crc32,
            staged.size,
            newKey,
            now,
            lostKey,
          ],
        );
  const row = rows[0];
  if (row === undefined) throw new BlobGoneError('the blob has gone');
  kept.named = row.storage_key === newKey;
  return row.id;
}

/** Removes the objects of kept bytes that no row names: all of them after a rollback, those of the losers when two uploads brought the same bytes. Not to be called where the outcome of a commit is unknown: its row may still appear. */
export async function dropUnused(
  ctx: Context,
  kept: readonly KeptBytes[],
  committed: boolean,
): Promise<void> {
  for (const { newKey, stored, named } of kept) {
    if (newKey !== undefined && stored && !(committed && named)) await ctx.storage.delete(newKey);
  }
}
