import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../../generated/prisma/client.ts';
import { lockFolder } from './folder-lock.ts';
import { listenOnPool, listenOnServer, type StopListening } from './listen.ts';
import { migrate } from './migrate.ts';
import { makePrivateFolder, makePrivateTree, restrict } from '../private-folder.ts';
import { sessionOf, type EmbeddedSession } from './pglite-session.ts';
import { PGliteStream } from './pglite-stream.ts';
import { openInThread } from './pglite-thread.ts';
import {
  checkPooledSettings,
  openServerPool,
  outliveConnections,
  type ServerLocation,
} from './server-pool.ts';
import type { Signal } from '../signal.ts';
import {
  clientClass,
  statementsOn,
  watchStatements,
  type OnStatement,
  type Statements,
} from '../wire/wire.ts';

export interface Database extends Statements {
  /** For cold reads and writes. */
  prisma: PrismaClient;
  /** For bulk work and streams; inside a transaction use the client that it gives, for the embedded pool holds one connection. */
  pool: pg.Pool;
  embedded: boolean;
  /** The same database for reads that somebody waits for: when the signal is aborted, `rows` and `read` cancel their statement and start no other. */
  within: (signal: Signal) => Database;
  /** Runs `work` in one transaction: committed when it returns, rolled back when it throws, unless it throws UnknownOutcomeError. */
  transaction: <T>(work: (client: pg.PoolClient) => Promise<T>) => Promise<T>;
  /** Calls `wake` at notifications on a channel, and whenever one may have been missed. */
  listen: (channel: string, wake: () => void) => StopListening;
  close: () => Promise<void>;
  /** Resolves when the embedded database has ended by itself: nothing is read or written any more. Servers come back, and this never resolves for them. */
  lost: Promise<Error>;
}

/** The connection was lost while a transaction was committed: it is in the database, or is not, or comes to be while somebody looks. */
export class UnknownOutcomeError extends Error {
  override name = 'UnknownOutcomeError';
}

export interface OpenOptions {
  /** `memory` takes a PGlite of this thread that the caller made, and closes it with the rest. */
  database:
    | { kind: 'embedded'; dataDir: string }
    | ({ kind: 'server' } & ServerLocation)
    | { kind: 'memory'; pglite: PGlite };
  /** PostgreSQL cancels a statement after this many milliseconds. */
  statementTimeoutMs?: number;
  onPoolError?: (error: Error) => void;
  onStatement?: OnStatement | undefined;
  /** See StatementOptions of core/wire; true unless tests take it out. */
  fastLane?: boolean;
}

/** Opens the database, embedded or on a server, and brings it to the current migration. Throws FolderInUseError when another process holds the folder. */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const { database, statementTimeoutMs = 15_000, fastLane = true } = options;
  const pooled = database.kind === 'server' && database.directUrl !== undefined;
  let release = (): void => {};
  let session: EmbeddedSession | undefined;
  let pool: pg.Pool;
  if (database.kind === 'server') {
    pool = openServerPool(database, { statementTimeoutMs, fastLane });
  } else {
    if (database.kind === 'embedded') release = lockFolder(database.dataDir);
    try {
      const opened =
        database.kind === 'embedded'
          ? await openFolder(database.dataDir)
          : sessionOf(database.pglite);
      session = opened;
      const stream = (): PGliteStream => new PGliteStream(opened);
      pool = outliveConnections(
        new pg.Pool({
          Client: clientClass(fastLane),
          max: 1,
          idleTimeoutMillis: 0,
          user: 'postgres',
          password: 'postgres',
          database: 'postgres',
          stream,
        }),
      );
    } catch (error) {
      release();
      throw error;
    }
  }
  pool.on('error', (error) => options.onPoolError?.(error));
  const { onStatement } = options;
  if (onStatement) watchStatements(pool, onStatement);
  const close = async (): Promise<void> => {
    await pool.end();
    await session?.close();
    release();
  };
  try {
    const client = await pool.connect();
    try {
      if (pooled) await checkPooledSettings(client, statementTimeoutMs);
      await migrate(client);
    } finally {
      client.release();
    }
  } catch (error) {
    await close();
    throw error;
  }
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  const opened: Database = {
    prisma,
    pool,
    embedded: session !== undefined,
    // The embedded database runs one statement at a time and can't be interrupted; behind a pooler nobody knows which session runs a statement.
    ...statementsOn(pool, {
      prepares: !pooled,
      cancels: !pooled && !session,
      onStatement,
      fastLane,
    }),
    within: (signal) => ({
      ...opened,
      rows: (sql, params) => opened.rows(sql, params, signal),
      read: (sql, params) => opened.read(sql, params, signal),
    }),
    async transaction(work) {
      const client = await pool.connect();
      let [committing, broken] = [false, false];
      try {
        await client.query('BEGIN');
        const result = await work(client);
        committing = true;
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch(() => (broken = true));
        throw committing && broken
          ? new UnknownOutcomeError('the connection was lost during a commit', { cause: error })
          : error;
      } finally {
        client.release(broken);
      }
    },
    listen: (channel, wake) =>
      database.kind === 'server'
        ? listenOnServer(database.directUrl ?? database.url, channel, wake)
        : listenOnPool(pool, channel, wake),
    lost: session?.lost ?? new Promise(() => {}),
    async close() {
      await prisma.$disconnect();
      await close();
    },
  };
  return opened;
}

/** Opens the PGlite folder inside the data folder. One whose first start was cut short is made anew: it never held a row. PGlite makes it readable to everybody, whatever the umask. */
async function openFolder(dataDir: string): Promise<EmbeddedSession> {
  const folder = join(dataDir, 'pg');
  const complete = join(dataDir, 'pg.complete');
  if (!existsSync(complete)) rmSync(folder, { recursive: true, force: true });
  makePrivateFolder(folder);
  const session = await openInThread(folder);
  makePrivateTree(folder);
  writeFileSync(complete, '');
  restrict(complete, 0o600);
  return session;
}
