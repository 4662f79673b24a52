import type { Notifications } from '../core/database/notifications.ts';
import type { Cell } from '../core/wire/wire.ts';
import type { Viewer } from '../core/context/viewer.ts';

/** What triggers tell of sessions and of what a viewer is made of: see `listen` below. */
const SESSIONS_CHANNEL = 'trivium_sessions';
/** Sessions are used without asking the database if nothing was missed until this long ago, in milliseconds. */
const SURE_FOR = 1_000;
/** After this long that is confirmed again, in milliseconds. */
const CONFIRM_AFTER = 400;
/** Most sessions that this process remembers. */
const MOST_KNOWN = 10_000;

/** A session as it was last read. */
export interface KnownSession {
  row: readonly Cell[];
  viewer: Viewer;
  /** The database is asked from then on; in milliseconds of the gateway's clock. */
  askAgainAt: number;
}

interface Remembered extends KnownSession {
  /** Nothing was told of it since it was read. */
  sure: boolean;
}

/**
 * The sessions that this process has seen. While a connection listens to what changes them, and confirmed within the last
 * second that nothing was missed, a session is as good from here as from the database: another gateway's change arrives
 * with its commit, and a write of this gateway is waited for. Otherwise the database is asked, and this only keeps viewers
 * for work that starts early.
 */
export class SessionMemory {
  readonly #notifications: Notifications;
  readonly #known = new Map<string, Remembered>();
  /** By the text that tells of them: `s` and the session's id, `u` and the user's. */
  readonly #named = new Map<string, Set<Remembered>>();
  /** Notifications until now. */
  #heard = 0;
  /** Writes of this process until now. */
  #writes = 0;
  #confirmedAt = -Infinity;
  #confirming = false;
  #triedAt = -Infinity;
  #listening = false;

  constructor(notifications: Notifications) {
    this.#notifications = notifications;
  }

  /** Listens to what changes sessions. Without it, every session is read from the database. */
  listen(): void {
    this.#listening = true;
    this.#notifications.listen(SESSIONS_CHANNEL, (text) => {
      this.#heard++;
      if (text === undefined) this.#confirmedAt = this.#triedAt = -Infinity;
      for (const sessions of text ? [this.#named.get(text)] : this.#named.values())
        for (const session of sessions ?? []) session.sure = false;
    });
    this.#notifications.onWrite(() => {
      this.#writes++;
      this.#confirmedAt = -Infinity;
      if (this.#known.size > 0) this.#confirm();
    });
  }

  /** The viewer of a session, if the database need not be asked. */
  recall(key: string, now: number): Viewer | undefined {
    const found = this.#known.get(key);
    return found?.sure && now < found.askAgainAt && this.#isConfirmed() ? found.viewer : undefined;
  }

  /** A session as it was last read. */
  get(key: string): KnownSession | undefined {
    return this.#known.get(key);
  }

  /** What `keep` needs to know of the time when the session began to be read. */
  moment(): number {
    return this.#heard;
  }

  /** Keeps a session that began to be read at a moment. */
  keep(key: string, read: KnownSession, moment: number): void {
    const sure = this.#listening && moment === this.#heard;
    const known = this.#known.get(key);
    if (known) return void Object.assign(known, read, { sure });
    if (this.#known.size >= MOST_KNOWN) {
      this.#known.clear();
      this.#named.clear();
    }
    const session = { ...read, sure };
    this.#known.set(key, session);
    for (const name of namesOf(session)) {
      const named = this.#named.get(name);
      if (named) named.add(session);
      else this.#named.set(name, new Set([session]));
    }
  }

  /** Forgets a session that has ended. */
  forget(key: string): void {
    const session = this.#known.get(key);
    if (!session) return;
    this.#known.delete(key);
    for (const name of namesOf(session)) {
      const named = this.#named.get(name);
      named?.delete(session);
      if (named?.size === 0) this.#named.delete(name);
    }
  }

  #isConfirmed(): boolean {
    const now = performance.now();
    const age = now - this.#confirmedAt;
    if (age > CONFIRM_AFTER && now - this.#triedAt > CONFIRM_AFTER) this.#confirm();
    return age < SURE_FOR;
  }

  #confirm(): void {
    if (this.#confirming) return;
    this.#confirming = true;
    const [from, writes] = [performance.now(), this.#writes];
    this.#triedAt = from;
    const done = (): void => void (this.#confirming = false);
    this.#notifications.confirm().then(() => {
      done();
      if (writes === this.#writes) this.#confirmedAt = from;
      else this.#confirm();
    }, done);
  }
}

function namesOf({ viewer }: KnownSession): string[] {
  return [`s${viewer.sessionId}`, `u${viewer.userId}`];
}
