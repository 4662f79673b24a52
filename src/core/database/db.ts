import type pg from 'pg';
import { openEmbeddedPool, type EmbeddedLocation } from './embedded-pool.ts';
import { limitTransactions } from './limit-transactions.ts';
import { EmbeddedNotifications, ServerNotifications, type Notifications } from './notifications.ts';
import { lendFrom, openPrisma, type Lease, type Prisma } from './open-prisma.ts';
import { runTransaction } from './run-transaction.ts';
import {
  checkPooledSettings,
  followsClients,
  openServerPool,
  type ServerLocation,
} from './server-pool.ts';
import { apartOn, type Apart } from '../migrations/connect-apart.ts';
import { migrate, type MigrationEvents } from '../migrations/migrate.ts';
import type { Signal } from '../signal.ts';
import {
  runCancellable,
  statementsOn,
  watchStatements,
  type Cell,
  type OnStatement,
  type Param,
  type Row,
  type Statements,
  type TransactionStatements,
} from '../wire/wire.ts';

export interface Database extends Statements {
  /** For everyday reads and writes. */
  prisma: Prisma;
  /**
   * For bulk work and streams. Inside a transaction use the transaction's client: the embedded pool has only one
   * connection.
   */
  pool: pg.Pool;
  /** Requests that wait for a connection, or for their turn to write. */
  waiting: () => number;
  /** Whether so many wait that domains should take turns. */
  isBusy: () => boolean;
  embedded: boolean;
  /**
   * The same database for reads whose client may disconnect: when the signal is aborted, `rows`, `read` and `prisma`
   * cancel their statement and start no other.
   */
  within: (signal: Signal) => Database;
  /**
   * Runs `work` in one transaction: committed when it returns, rolled back when it throws, unless it throws
   * UnknownOutcomeError. Both the client and `tx` use the connection of the transaction; a transaction of `tx` is part
   * of this one. The statements of `last` come after those of `work`, in one round trip with COMMIT; where it is given, `work`
   * uses `tx` alone, whose first statement begins the transaction. Throws BusyError when it could not begin in time.
   */
  transaction: <T>(
    work: (client: pg.PoolClient, tx: Database) => Promise<T>,
    last?: (tx: Database) => Promise<void>,
  ) => Promise<T>;
  notifications: Notifications;
  /** Runs what takes long, or needs a session, on a connection of its own; on the only one of an embedded database. */
  apart: Apart;
  close: () => Promise<void>;
  /**
   * Resolves when the embedded database has crashed: nothing can be read or written any more. Never resolves for a
   * server, since servers come back.
   */
  lost: Promise<Error>;
}

export { UnknownOutcomeError } from './run-transaction.ts';

export interface OpenOptions {
  database: ({ kind: 'server' } & ServerLocation) | EmbeddedLocation;
  /** PostgreSQL cancels statements after this many milliseconds. */
  statementTimeoutMs?: number;
  onPoolError?: (error: Error) => void;
  onStatement?: OnStatement | undefined;
  /** Told what migrations do to a database that is in use. */
  events?: MigrationEvents | undefined;
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
  const { pool, session, release } =
    database.kind === 'server'
      ? { pool: openServerPool(database, { statementTimeoutMs, fastLane }), release: () => {} }
      : await openEmbeddedPool(database, { fastLane });
  pool.on('error', (error) => options.onPoolError?.(error));
  // Before the first connection, whose writes would else go unseen.
  const notifications =
    database.kind === 'server'
      ? new ServerNotifications(database.directUrl ?? database.url, pool)
      : new EmbeddedNotifications(pool);
  const { onStatement } = options;
  if (onStatement) watchStatements(pool, onStatement);
  const close = async (): Promise<void> => {
    await notifications.close();
    await pool.end();
    await session?.close();
    release();
  };
  const apart = apartOn(database.kind === 'server' ? database : undefined, pool);
  /** Whether every connection has a server session of its own, or is used as if it had. */
  let follows = true;
  try {
    if (pooled) {
      const client = await pool.connect();
      try {
        await checkPooledSettings(client, statementTimeoutMs);
        follows = await followsClients(client);
      } finally {
        client.release();
      }
    }
    await migrate(pool, { alone: session !== undefined, apart, events: options.events });
  } catch (error) {
    await close();
    throw error;
  }
  // The embedded database runs one statement at a time and can't be interrupted; behind another pooler nobody knows
  // which session runs a statement.
  const [prepares, cancels] = [follows, follows && !session];
  const prisma = openPrisma({ prepares });
  const transactions = limitTransactions(
    database.kind === 'server' ? database.poolSize : undefined,
  );
  const prismaOn = (lease: Lease): Prisma =>
    prisma.on(lease, (work) => opened.transaction((_, tx) => work(tx.prisma)));
  const prismaWithin = (signal: Signal): Prisma =>
    prismaOn((work) => runCancellable(pool, { signal, cancels }, work));
  const openWithin = (client: pg.PoolClient, statements: TransactionStatements): Database => {
    const { rows, read, begin } = statements;
    const tx: Database = {
      ...opened,
      prisma: prisma.on(async (call) => {
        await begin();
        return call(client);
      }),
      rows,
      read,
      within: () => tx,
      async transaction(part, last) {
        if (!last) await begin();
        const result = await part(client, tx);
        await last?.(tx);
        return result;
      },
    };
    return tx;
  };
  const opened: Database = {
    prisma: prismaOn(lendFrom(pool)),
    pool,
    waiting: () => pool.waitingCount + transactions.waiting(),
    isBusy: () => pool.waitingCount > 0 || transactions.areMany(),
    embedded: session !== undefined,
    ...statementsOn(pool, { prepares, cancels, onStatement, fastLane }),
    within: (signal) => new DatabaseWithin(opened, signal, prismaWithin),
    transaction: (work, last) =>
      transactions.run(() =>
        runTransaction(pool, { prepares, onStatement, fastLane }, { open: openWithin, work, last }),
      ),
    notifications,
    apart,
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
  readonly pool: Database['pool'];
  readonly waiting: Database['waiting'];
  readonly isBusy: Database['isBusy'];
  readonly embedded: boolean;
  readonly transaction: Database['transaction'];
  readonly notifications: Notifications;
  readonly apart: Apart;
  readonly lost: Promise<Error>;
  readonly within: Database['within'];
  readonly close: Database['close'];

  constructor(whole: Database, signal: Signal, prismaWithin: (signal: Signal) => Prisma) {
    this.#whole = whole;
    this.#signal = signal;
    this.#prismaWithin = prismaWithin;
    ({
      pool: this.pool,
      waiting: this.waiting,
      isBusy: this.isBusy,
      embedded: this.embedded,
      transaction: this.transaction,
      notifications: this.notifications,
      apart: this.apart,
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
