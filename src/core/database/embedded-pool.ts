import type { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { clientClass } from '../wire/wire.ts';
import { lockFolder } from './folder-lock.ts';
import { sessionOf, type EmbeddedSession } from './pglite-session.ts';
import { PGliteStream } from './pglite-stream.ts';
import { openFolder } from './pglite-thread.ts';
import { outliveConnections } from './server-pool.ts';

/**
 * The embedded database: a folder; or, with `memory`, a PGlite that the caller created in this thread, and which is
 * closed together with the pool.
 */
export type EmbeddedLocation =
  { kind: 'embedded'; dataDir: string } | { kind: 'memory'; pglite: PGlite };

interface EmbeddedPool {
  pool: pg.Pool;
  session: EmbeddedSession;
  /** Gives the folder free. */
  release: () => void;
}

/** Opens the one connection to an embedded database. Throws FolderInUseError when another process holds the folder. */
export async function openEmbeddedPool(
  database: EmbeddedLocation,
  { fastLane }: { fastLane: boolean },
): Promise<EmbeddedPool> {
  // PGlite would neither answer nor fail from its next write on.
  let onGone: EmbeddedSession['abandon'] = () => undefined;
  const release =
    database.kind === 'embedded'
      ? lockFolder(database.dataDir, (error) => onGone(error))
      : () => {};
  try {
    const session =
      database.kind === 'embedded'
        ? await openFolder(database.dataDir)
        : sessionOf(database.pglite);
    onGone = (error) => session.abandon(error);
    const pool = new pg.Pool({
      Client: clientClass(fastLane),
      max: 1,
      idleTimeoutMillis: 0,
      user: 'postgres',
      password: 'postgres',
      database: 'postgres',
      stream: () => new PGliteStream(session),
    });
    return { pool: outliveConnections(pool), session, release };
  } catch (error) {
    release();
    throw error;
  }
}
