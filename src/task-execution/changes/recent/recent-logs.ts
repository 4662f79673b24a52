import type { RecentChanges } from '../../../core/context/change-follower.ts';
import type { Database } from '../../../core/database/db.ts';
import { RecentLog } from './recent-log.ts';

/** Most changes that are kept of all domains: some forty megabytes. */
const MOST_OF_ALL = 150_000;
/** Most domains whose changes are kept. */
const MOST_DOMAINS = 50;

/**
 * What was written in the logs of domains of late, read once for all polls of this process: without it, each poll would
 * examine every change of its domain since the poll before. A change is known with the lists in which its feed was when
 * it was read; when the feed enters another one, that is a change of its own.
 */
export class RecentLogs {
  readonly #db: Database;
  #domains = new Map<number, RecentLog>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Reads on; what is under way began before, and may not see everything. */
  upToNow(domainId: number): Promise<RecentChanges> {
    const log = this.#domains.get(domainId) ?? new RecentLog(this.#db, domainId);
    // The domain that was asked for last is the last of the map.
    this.#domains.delete(domainId);
    let kept = log.kept;
    for (const other of this.#domains.values()) kept += other.kept;
    for (const [id, other] of this.#domains) {
      if (kept <= MOST_OF_ALL && this.#domains.size < MOST_DOMAINS) break;
      kept -= other.kept;
      this.#domains.delete(id);
    }
    this.#domains.set(domainId, log);
    return log.upToNow();
  }

  /** What the last read found, without reading; `undefined` when there was none of late. */
  known(domainId: number): RecentChanges | undefined {
    return this.#domains.get(domainId)?.known();
  }

  /** Begins anew. */
  forget(): void {
    this.#domains = new Map();
  }
}
