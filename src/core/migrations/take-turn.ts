import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';

/** Who holds it migrates; one at a time. */
const TURN_LOCK = 72707370;
const LOOK_EVERY = 250;

/**
 * Waits until no other connection migrates, and returns the function that lets the next one. Never within a statement
 * that waits: an index that is made while others write would wait for that statement.
 */
export async function takeTurn(client: ClientBase): Promise<() => Promise<void>> {
  for (;;) {
    const leave = await tryTurn(client);
    if (leave) return leave;
    await pause(LOOK_EVERY);
  }
}

/** The same if no other connection migrates now. */
export async function tryTurn(client: ClientBase): Promise<(() => Promise<void>) | undefined> {
  const { rows } = await client.query<{ free: boolean }>(
    'SELECT pg_try_advisory_lock($1) AS free',
    [TURN_LOCK],
  );
  if (rows[0]?.free !== true) return undefined;
  return async () => {
    // A connection that broke has left it.
    await client.query('SELECT pg_advisory_unlock($1)', [TURN_LOCK]).catch(() => undefined);
  };
}
