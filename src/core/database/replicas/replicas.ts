import { readsOn, type Reads } from './reads.ts';
import {
  ASK_EVERY,
  MAX_BEHIND,
  openReplica,
  type Replica,
  type ReplicaServices,
} from './replica.ts';
import type { ServerLocation } from '../server-pool.ts';

/** How long reads go on without a primary, in milliseconds. */
const MOST_ALONE = 120_000;

/** The streaming replicas that take reads off the primary. */
export interface Replicas {
  /**
   * Of the replicas that have replayed all writes of the session and lag at most 2 s, the one with the least to do; the
   * primary if there is none; while the primary is gone, whileGone().
   */
  readsFor(viewer: { writtenLsn: number } | null): Reads;
  /**
   * While no primary answers, the replica that has most of its log, if it lost the primary, too: it has what the next
   * primary will have, and nothing is written meanwhile. Undefined after two minutes.
   */
  whileGone(): Reads | undefined;
  /** Stores in the session, for all gateways, the position of the log after its write. */
  noteWrite(viewer: { sessionId: string } | null): Promise<void>;
  /** Do reads wait for a connection of a replica? */
  isBusy(): boolean;
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
  let closed = false;
  let seenAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const ask = async (): Promise<void> => {
    const at = performance.now();
    try {
      const [row] = await db.rows(`SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')`, []);
      seenAt = performance.now();
      for (const replica of all) replica.note({ at, lsn: Number(row?.[0]) });
    } catch {
      // Replicas are late then, and after a while alone.
    }
    if (!closed) timer = setTimeout(() => void (asking = ask()), ASK_EVERY);
  };
  let asking = ask();
  const whileGone = (): Reads | undefined => {
    const silent = performance.now() - seenAt;
    if (silent < MAX_BEHIND || silent > MOST_ALONE) return undefined;
    const of = (replica: Replica): number => replica.alone() ?? -1;
    const [most] = [...all].sort((a, b) => of(b) - of(a));
    return most && of(most) >= 0 ? most.reads : undefined;
  };
  return {
    whileGone,
    isBusy: () => all.some((replica) => replica.isBusy()),
    readsFor(viewer) {
      if (!viewer) return primary;
      let best: Replica | undefined;
      // Of equals, each in its turn.
      turn = (turn + 1) % all.length;
      for (const replica of [...all.slice(turn), ...all.slice(0, turn)])
        if (replica.serves(viewer) && (!best || replica.load() < best.load())) best = replica;
      return best?.reads ?? whileGone() ?? primary;
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
      closed = true;
      clearTimeout(timer);
      await asking;
      await Promise.all(all.map((replica) => replica.close()));
    },
  };
}
