import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import type { Log } from '../log.ts';
import type { Apart } from './connect-apart.ts';
import { idOf, readPending, type Queries } from './migration-state.ts';
import { readMigrations, type Step } from './read-migrations.ts';
import { runStep } from './run-step.ts';
import { tellMigration } from './tell-migration.ts';
import { tryTurn } from './take-turn.ts';

/**
 * Pause before it is looked again whether a step is left, or whether the gateway that does one is still there; in
 * milliseconds.
 */
const LOOK_EVERY = 2_000;
/** The same after a failure. */
const AFTER_FAILURE = 30_000;
const CANCEL_EVERY = 250;

/** Does the steps of migrations that gateways need not wait for. */
export interface StepFollower {
  /** Does them in the background, unless another gateway does; ends when none is left. */
  start(): void;
  /** Steps that are left, by this gateway or another; undefined if there are none. */
  underWay(): string | undefined;
  /** Does them now, or waits for whoever does, until none is left. */
  finish(): Promise<void>;
  /** Stops: what a step has done so far stays, and the next gateway goes on. */
  close(): Promise<void>;
}

/** What a follower needs of an open database. */
export interface FollowedDatabase {
  pool: Queries;
  apart: Apart;
}

/** Follows the steps of a database. `folder` is set by tests only. */
export function followSteps(
  { pool, apart }: FollowedDatabase,
  log: Log,
  folder?: string,
): StepFollower {
  const stop = new AbortController();
  const { signal } = stop;
  const { onStep } = tellMigration(log);
  let left: Step[] = [];
  let following: Promise<void> = Promise.resolve();
  const look = async (): Promise<Step[]> =>
    (left = (await readPending(pool, await readMigrations(folder))).steps);
  /** Does what is left, if nobody else does. */
  const work = (): Promise<boolean> =>
    apart(async (client) => {
      const leave = await tryTurn(client);
      if (!leave) return false;
      const unwatch = await cancelWhen(signal, client, pool);
      try {
        for (const step of await look()) {
          signal.throwIfAborted();
          await runStep(client, step, { onStep, signal });
        }
        return true;
      } finally {
        unwatch();
        await leave();
      }
    });
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      let rest = LOOK_EVERY;
      try {
        if ((await look()).length === 0) return;
        if (await work()) continue;
      } catch (error) {
        if (signal.aborted) return;
        log.error({ err: error, steps: left.map(idOf) }, 'migration step failed');
        rest = AFTER_FAILURE;
      }
      await pause(rest, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  return {
    start: () => void (following = follow()),
    underWay: () => (left.length > 0 ? left.map(idOf).join(', ') : undefined),
    async finish() {
      while ((await look()).length > 0)
        if (!(await work())) await pause(LOOK_EVERY, undefined, { signal });
    },
    async close() {
      stop.abort();
      await following;
    },
  };
}

/** Ends the statements of the connection once the signal is aborted: making an index takes long. */
async function cancelWhen(
  signal: AbortSignal,
  client: ClientBase,
  pool: Queries,
): Promise<() => void> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const statement = `SELECT pg_cancel_backend(${Number(rows[0]?.pid)})`;
  let timer: NodeJS.Timeout | undefined;
  const cancel = (): void => {
    void pool.query(statement).catch(() => undefined);
    // It may have come between two statements.
    timer ??= setInterval(cancel, CANCEL_EVERY);
  };
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  return () => {
    signal.removeEventListener('abort', cancel);
    clearInterval(timer);
  };
}
