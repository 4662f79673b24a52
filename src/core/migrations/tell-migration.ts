import type { Log } from '../log.ts';
import type { MigrationEvents } from './migrate.ts';
import { idOf } from './migration-state.ts';

/** How often a step that takes long is mentioned, in milliseconds. */
const MENTION_EVERY = 10_000;

/** Logs what migrations do. */
export function tellMigration(log: Log): MigrationEvents {
  const mentioned = new Map<string, { began: number; last: number }>();
  return {
    onApplied: (migrations) => log.info({ migrations }, 'migrations applied'),
    onWaiting: (migrations) =>
      log.warn(
        { migrations },
        'a migration waits for a table: transactions that are open for long, such as pg_dump, hold it up',
      ),
    onStep(step, { batches, ended = false }) {
      const [name, now] = [idOf(step), performance.now()];
      const seen = mentioned.get(name);
      if (ended) {
        mentioned.delete(name);
        const ms = Math.round(now - (seen?.began ?? now));
        log.info({ step: name, batches, ms }, 'migration step done');
      } else if (!seen) {
        mentioned.set(name, { began: now, last: now });
        log.info({ step: name, batches }, 'migration step begun');
      } else if (now - seen.last > MENTION_EVERY) {
        seen.last = now;
        log.info({ step: name, batches }, 'migration step under way');
      }
    },
  };
}
