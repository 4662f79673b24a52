import { readsOn, type Reads } from './reads.ts';
import { openReplica, type Replica, type ReplicaServices } from './replica.ts';
import type { ServerLocation } from './server-pool.ts';

/** The streaming replicas that take reads off the primary. */
export interface Replicas {
  /**
   * Of the replicas that have replayed all writes of the session and lag at most 2 s, the one with the least to do; the
   * primary if there is none.
   */
  readsFor(viewer: { writtenLsn: number } | null): Reads;
  /** Stores in the session, for all gateways, the position of the log after its write. */
  noteWrite(viewer: { sessionId: string } | null): Promise<void>;
  /** How many seconds each lags, at most. */
  lags(): { server: string; seconds: number }[];
  close(): Promise<void>;
}

/** Opens all replicas. Each is left out while it is late or gone, and comes back by itself. */
export function openReplicas(
  { replicaUrls, poolSize }: { replicaUrls: readonly string[] } & Pick<ServerLocation, 'poolSize'>,
  services: ReplicaServices,
): Replicas {
  const { db, log } = services;
  const primary = readsOn(db);
  const all = replicaUrls.map((url) => openReplica({ url, poolSize }, services));
  let turn = 0;
  return {
    readsFor(viewer) {
      if (!viewer) return primary;
      let best: Replica | undefined;
      // Of equals, each in its turn.
      turn = (turn + 1) % all.length;
      for (const replica of [...all.slice(turn), ...all.slice(0, turn)])
        if (replica.serves(viewer) && (!best || replica.load() < best.load())) best = replica;
      return best?.reads ?? primary;
    },
    async noteWrite(viewer) {
      if (!viewer) return;
      const sql = `UPDATE session SET written_lsn = pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 WHERE id = $1`;
      await db
        .rows(sql, [viewer.sessionId])
        .catch((error: unknown) =>
          log.error(
            { err: error },
            'the position of a write could not be stored: the session may read older data from a replica',
          ),
        );
    },
    lags: () => all.map((replica) => ({ server: replica.server, seconds: replica.lag() })),
    async close() {
      await Promise.all(all.map((replica) => replica.close()));
    },
  };
}
