import type { Log } from '../log.ts';
import { findLostParts } from './find-lost-parts.ts';
import type { Queries } from './migration-state.ts';

/** Logs which indexes and triggers the database has lost since they were created. */
export async function tellLostParts(db: Queries, log: Log): Promise<void> {
  try {
    const lost = await findLostParts(db);
    if (lost)
      log.error(
        lost,
        'the database lacks indexes or triggers: rows may be stored twice, or changes be lost',
      );
  } catch (error) {
    log.warn({ err: error }, 'indexes and triggers not checked');
  }
}
