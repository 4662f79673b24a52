import type { SqlDriverAdapter, Transaction } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { AppError } from '../errors.ts';
import { isRecord } from '../json-values.ts';
import { lastingName } from '../wire/wire.ts';
import { explainFailure } from './explain-failure.ts';
import { growCompilerMemory } from './grow-compiler-memory.ts';

/**
 * Prisma's typed client for everyday reads and writes: its models, without what opens connections or transactions (see
 * Database.transaction).
 */
export type Prisma = Omit<PrismaClient, `$${string}`>;

/** Lends a connection for one piece of work. */
export type Lease = <T>(work: (client: pg.ClientBase) => Promise<T>) => Promise<T>;

/** Lends connections of a pool, each for one call. */
export function lendFrom(pool: pg.Pool): Lease {
  return async (work) => {
    const client = await pool.connect();
    let lost = true;
    try {
      const result = await work(client);
      lost = false;
      return result;
    } catch (error) {
      lost = !(error instanceof AppError);
      throw error;
    } finally {
      client.release(lost);
    }
  };
}

export interface OpenedPrisma {
  /**
   * A client whose calls run on the connections that are lent to them: what holds of the lease (its signal, its
   * transaction, who hears of statements) holds of every call.
   */
  on(
    lease: Lease,
    atomic?: (work: (prisma: Prisma) => Promise<unknown>) => Promise<unknown>,
  ): Prisma;
  close(): Promise<void>;
}

/**
 * Prisma ends what it takes for a transaction after its time-out, which a timer of Node bounds; a lane is made anew
 * long before.
 */
const LONGEST_TIMER = 2_147_483_647;
const LANE_LIFE = 86_400_000;

/**
 * A way through the one PrismaClient to a connection of ours: for Prisma a transaction that stays open, so that its
 * calls are kept apart from those of others.
 */
interface Lane {
  client: pg.ClientBase | undefined;
  /** What PostgreSQL said when a statement of the call failed; Prisma tells less. */
  failure: unknown;
  call(model: string, operation: string, args: unknown): Promise<unknown>;
  end(): void;
  madeAt: number;
}

/** Opens Prisma over connections that others lend. `prepares`: see StatementOptions of core/wire. */
export function openPrisma({ prepares }: { prepares: boolean }): OpenedPrisma {
  const free: Lane[] = [];
  const open = new Set<Lane>();
  let starting: Promise<Lane> | undefined;
  let queryable: SqlDriverAdapter | undefined;
  let prisma: PrismaClient | undefined;

  /** Prisma's own adapter over a pool that is none: each statement goes to the connection that the lane has now. */
  const adapterOf = async (lane: Lane): Promise<SqlDriverAdapter> => {
    const { PrismaPg } = await import('@prisma/adapter-pg');
    const query = async (config: pg.QueryArrayConfig): Promise<pg.QueryArrayResult> => {
      if (!lane.client) throw new Error('Prisma was called after its connection was released');
      const name = prepares ? lastingName(config.text) : undefined;
      try {
        return await lane.client.query({ ...config, ...(name !== undefined && { name }) });
      } catch (error) {
        lane.failure ??= error;
        throw error;
      }
    };
    return new PrismaPg(Object.assign(new pg.Pool(), { query })).connect();
  };
  const makeLane = (): Lane => ({
    client: undefined,
    failure: undefined,
    call: () => Promise.reject(new Error('not open')),
    end: () => undefined,
    madeAt: performance.now(),
  });
  const factory = {
    provider: 'postgres' as const,
    adapterName: 'trivium',
    async connect(): Promise<SqlDriverAdapter> {
      const outer = await adapterOf(makeLane());
      const startTransaction = (): Promise<Transaction> => {
        if (!queryable)
          return Promise.reject(new Error('use Database for transactions, not Prisma'));
        const { provider, adapterName } = queryable;
        const { queryRaw, executeRaw } = bound(queryable);
        return Promise.resolve({
          provider,
          adapterName,
          queryRaw,
          executeRaw,
          options: { usePhantomQuery: true },
          commit: () => Promise.resolve(),
          rollback: () => Promise.resolve(),
        });
      };
      return Object.assign(outer, { startTransaction });
    },
  };

  const openLane = async (): Promise<Lane> => {
    const lane = makeLane();
    queryable = await adapterOf(lane);
    if (!prisma) {
      // Late, so that a start need not wait for it.
      const { PrismaClient } = await import('../../generated/prisma/client.ts');
      const made = (prisma = new PrismaClient({ adapter: factory }));
      await growCompilerMemory(() => made.$connect());
    }
    const client = prisma;
    await new Promise<void>((resolve, reject) => {
      client
        .$transaction(
          (transaction) => {
            const models = transaction as unknown as Record<string, Record<string, CallOf>>;
            lane.call = async (model, operation, args) => {
              const run = models[model]?.[operation];
              if (!run) throw new Error(`Prisma has no ${model}.${operation}`);
              return run(args);
            };
            resolve();
            return new Promise<void>((end) => (lane.end = end));
          },
          { timeout: LONGEST_TIMER, maxWait: LONGEST_TIMER },
        )
        .catch(reject);
    });
    open.add(lane);
    return lane;
  };
  /** One after the other: what Prisma begins next is the lane that was asked for last. */
  const nextLane = async (): Promise<Lane> => {
    for (;;) {
      const lane = free.pop();
      if (!lane) break;
      if (performance.now() - lane.madeAt < LANE_LIFE) return lane;
      open.delete(lane);
      lane.end();
    }
    const before = starting;
    const made = (before ?? Promise.resolve()).then(openLane, openLane);
    starting = made;
    return made;
  };

  const run = (lease: Lease, [model, operation, args]: Call): Promise<unknown> =>
    lease(async (client) => {
      const lane = await nextLane();
      [lane.client, lane.failure] = [client, undefined];
      try {
        return await lane.call(model, operation, args);
      } catch (error) {
        throw explainFailure(lane.failure ?? error, model);
      } finally {
        lane.client = undefined;
        free.push(lane);
      }
    });

  return {
    on: (lease, atomic) =>
      modelsOf((...call) => {
        const [model, operation, args] = call;
        return atomic && writesNested(args)
          ? atomic((prisma) => callOf(prisma, model, operation)(args))
          : run(lease, call);
      }),
    async close() {
      for (const lane of open) lane.end();
      await prisma?.$disconnect();
    },
  };
}

const bound = (queryable: SqlDriverAdapter): Pick<SqlDriverAdapter, 'queryRaw' | 'executeRaw'> => ({
  queryRaw: (query) => queryable.queryRaw(query),
  executeRaw: (query) => queryable.executeRaw(query),
});

type Call = [model: string, operation: string, args: unknown];
type CallOf = (args: unknown) => Promise<unknown>;

/** A client each of whose calls is handed on. */
export function modelsOf(call: (...call: Call) => Promise<unknown>): Prisma {
  const operations = (model: string): object =>
    new Proxy(
      {},
      { get: (_, operation) => (args: unknown) => call(model, String(operation), args) },
    );
  const known = new Map<string, object>();
  return new Proxy(
    {},
    {
      get(_, model) {
        const name = String(model);
        let found = known.get(name);
        if (!found) known.set(name, (found = operations(name)));
        return found;
      },
    },
    // The types of a generated client can't be followed by name.
  ) as Prisma;
}

/** An operation of a client by name. */
export function callOf(prisma: Prisma, model: string, operation: string): CallOf {
  const run = (prisma as unknown as Record<string, Record<string, CallOf>>)[model]?.[operation];
  if (!run) throw new Error(`Prisma has no ${model}.${operation}`);
  return run;
}

/**
 * May the call write more than one table? Then it wants a transaction. Values of json columns look like it, which costs
 * a BEGIN.
 */
function writesNested(args: unknown): boolean {
  const writes = (data: unknown): boolean =>
    typeof data === 'object' && data !== null && Object.values(data).some(isPlain);
  return isRecord(args) && [args['data'], args['create'], args['update']].some(writes);
}

function isPlain(value: unknown): boolean {
  return isRecord(value) && Object.getPrototypeOf(value) === Object.prototype;
}
