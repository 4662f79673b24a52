import type { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { lockFolder } from './folder-lock.ts';
import { listenOnPool, listenOnServer, type StopListening, type Wake } from './listen.ts';
import { migrate } from './migrate.ts';
import { explainFailure } from './explain-failure.ts';
import { lendFrom, openPrisma, type Lease, type Prisma } from './open-prisma.ts';
import { sessionOf, type EmbeddedSession } from './pglite-session.ts';
import { PGliteStream } from './pglite-stream.ts';
import { openFolder } from './pglite-thread.ts';
import {
  checkPooledSettings,
  openServerPool,
  outliveConnections,
  type ServerLocation,
} from './server-pool.ts';
import type { Signal } from '../signal.ts';
import {
  clientClass,
  runCancellable,
  statementsOn,
  statementsWithin,
  watchStatements,
  type Cell,
  type OnStatement,
  type Param,
  type Row,
  type Statements,
} from '../wire/wire.ts';

export interface Database extends Statements {
  /** For everyday reads and writes. */
  prisma: Prisma;
  /**
   * For bulk work and streams. Inside a transaction use the transaction's client: the embedded pool has only one
   * connection.
   */
  pool: pg.Pool;
  embedded: boolean;
  /**
   * The same database for reads whose client may disconnect: when the signal is aborted, `rows`, `read` and `prisma`
   * cancel their statement and start no other.
   */
  within: (signal: Signal) => Database;
  /**
   * Runs `work` in one transaction: committed when it returns, rolled back when it throws, unless it throws
   * UnknownOutcomeError. Both the client and `tx` use the connection of the transaction; a transaction of `tx` is part
   * of this one.
   */
  transaction: <T>(work: (client: pg.PoolClient, tx: Database) => Promise<T>) => Promise<T>;
  /** Calls `wake` for notifications on a channel, and whenever one may have been missed. */
  listen: (channel: string, wake: Wake) => StopListening;
  close: () => Promise<void>;
  /**
   * Resolves when the embedded database has crashed: nothing can be read or written any more. Never resolves for a
   * server, since servers come back.
   */
  lost: Promise<Error>;
}

/**
 * The connection was lost during the commit of a transaction: it may have committed, may not have, or may still commit
 * a little later.
 */
export class UnknownOutcomeError extends Error {
  override name = 'UnknownOutcomeError';
}

export interface OpenOptions {
  /** `memory` takes a PGlite that the caller created in this thread, and closes it together with the pool. */
  database:
    | { kind: 'embedded'; dataDir: string }
    | ({ kind: 'server' } & ServerLocation)
    | { kind: 'memory'; pglite: PGlite };
  /** PostgreSQL cancels statements after this many milliseconds. */
  statementTimeoutMs?: number;
  onPoolError?: (error: Error) => void;
  onStatement?: OnStatement | undefined;
  /** See StatementOptions of core/wire; only tests set it to false. */
  fastLane?: boolean;
}

/**
 * Opens the embedded database or a server, and applies pending migrations. Throws FolderInUseError when another process
 * holds the folder.
 */
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
  // The embedded database runs one statement at a time and can't be interrupted; behind a pooler nobody knows which
  // session runs a statement.
  const [prepares, cancels] = [!pooled, !pooled && !session];
  const prisma = openPrisma({ prepares });
  const prismaOn = (lease: Lease): Prisma =>
    prisma.on(lease, (work) => opened.transaction((_, tx) => work(tx.prisma)));
  const prismaWithin = (signal: Signal): Prisma =>
    prismaOn((work) => runCancellable(pool, { signal, cancels }, work));
  const opened: Database = {
    prisma: prismaOn(lendFrom(pool)),
    pool,
    embedded: session !== undefined,
    ...statementsOn(pool, { prepares, cancels, onStatement, fastLane }),
    within: (signal) => new DatabaseWithin(opened, signal, prismaWithin),
    async transaction(work) {
      const client = await pool.connect();
      let [committing, broken, spoilt] = [false, false, false];
      const tx: Database = {
        ...opened,
        prisma: prisma.on((work) => work(client)),
        ...statementsWithin(client, { prepares, onStatement, fastLane }, () => (spoilt = true)),
        within: () => tx,
        transaction: (part) => part(client, tx),
      };
      try {
        await client.query('BEGIN');
        const result = await work(client, tx);
        committing = true;
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch(() => (broken = true));
        throw committing && broken
          ? new UnknownOutcomeError('the connection was lost during a commit', { cause: error })
          : explainFailure(error);
      } finally {
        client.release(broken || spoilt);
      }
    },
    listen: (channel, wake) =>
      database.kind === 'server'
        ? listenOnServer(database.directUrl ?? database.url, channel, wake)
        : listenOnPool(pool, channel, wake),
    lost: session?.lost ?? new Promise(() => {}),
    async close() {
      await prisma.close();
      await close();
    },
  };
  return opened;
}

/** See Database.within. Most requests that read never call Prisma: their client is made when they do. */
class DatabaseWithin implements Database {
  readonly #whole: Database;
  readonly #signal: Signal;
  readonly #prismaWithin: (signal: Signal) => Prisma;
  #prisma: Prisma | undefined;
  readonly pool: pg.Pool;
  readonly embedded: boolean;
  readonly transaction: Database['transaction'];
  readonly listen: Database['listen'];
  readonly lost: Promise<Error>;
  readonly within: Database['within'];
  readonly close: Database['close'];

  constructor(whole: Database, signal: Signal, prismaWithin: (signal: Signal) => Prisma) {
    this.#whole = whole;
    this.#signal = signal;
    this.#prismaWithin = prismaWithin;
    ({
      pool: this.pool,
      embedded: this.embedded,
      transaction: this.transaction,
      listen: this.listen,
      lost: this.lost,
      within: this.within,
      close: this.close,
    } = whole);
  }

  get prisma(): Prisma {
    return (this.#prisma ??= this.#prismaWithin(this.#signal));
  }

  rows(sql: string, params: readonly Param[], signal = this.#signal): Promise<Cell[][]> {
    return this.#whole.rows(sql, params, signal);
  }

  read(sql: string, params: readonly Param[], signal = this.#signal): Promise<Row[]> {
    return this.#whole.read(sql, params, signal);
  }
}
