import type { RefusalRecorder, Services } from '../../core/context/context.ts';
import { writeAuditLog, type AuditEntry } from '../../core/context/write-audit-log.ts';
import { networkOf } from '../../core/address.ts';
import { addRefusals } from './audit.sql.ts';

const HOUR = 3_600_000;
/** Entries of one caller in an hour that name objects; then one for each operation and code. */
const MAX_OF_CALLER = 100;
/** Entries in an hour that tell callers apart; then they count together. */
const MAX_ENTRIES = 10_000;
/** The same for callers without a session: so many strangers leave room for users. */
const MAX_OF_STRANGERS = 2_000;

/** The caller of what is counted together. */
const TOGETHER = `unknown ${networkOf('')}`;

interface Counted {
  id: bigint;
  /** Not written yet. */
  more: number;
}

/**
 * Makes the recorder of refusals. The same refusal of the same caller is one entry an hour on each gateway, with a count;
 * memory and rows are bounded, whoever asks for whatever.
 */
export function recordRefusals({ db, clock }: Pick<Services, 'db' | 'clock'>): RefusalRecorder {
  let hour = 0;
  let entries = new Map<string, Counted>();
  let callers = new Map<string, number>();
  let strangers = 0;
  let left: Counted[] = [];
  const underWay = new Set<Promise<unknown>>();
  /** The last of those that write counts, one after the other: what two write at once would count twice. */
  let flushing: Promise<void> = Promise.resolve();

  const begin = (now: number): void => {
    if (now === hour) return;
    left.push(...[...entries.values()].filter(({ more }) => more > 0));
    hour = now;
    entries = new Map();
    callers = new Map();
    strangers = 0;
  };
  const count = async (entry: AuditEntry): Promise<void> => {
    const { actor, address, domainId, surface, action, outcome, code } = entry;
    const { objects = [], target = '' } = entry;
    const isStranger = actor === 'unknown';
    const caller = isStranger ? `${actor} ${networkOf(address ?? '')}` : actor;
    const key = JSON.stringify([
      ...[caller, domainId ?? null, surface, action],
      ...[objects, target, outcome, code],
    ]);
    const known = entries.get(key);
    if (known) {
      known.more++;
      return;
    }
    const ofCaller = callers.get(caller) ?? 0;
    if (ofCaller >= MAX_OF_CALLER && (objects.length > 0 || target !== ''))
      return count({ ...entry, objects: [], target: '' });
    const full = entries.size >= MAX_ENTRIES || (isStranger && strangers >= MAX_OF_STRANGERS);
    if (full && caller !== TOGETHER)
      return count({ ...entry, actor: 'unknown', userId: null, address: null });
    if (isStranger) strangers++;
    callers.set(caller, ofCaller + 1);
    // At once, so that the same at the same moment is counted.
    const counted: Counted = { id: 0n, more: 0 };
    entries.set(key, counted);
    try {
      counted.id = await writeAuditLog(db, entry);
    } catch (error) {
      entries.delete(key);
      throw error;
    }
  };
  const writeCounts = async (): Promise<void> => {
    await Promise.allSettled(underWay);
    const due = [...left, ...entries.values()].filter(({ id, more }) => id > 0n && more > 0);
    if (due.length === 0) return;
    const more = due.map((counted) => counted.more);
    await addRefusals.rows(db, { ids: due.map(({ id }) => id), more });
    due.forEach((counted, index) => (counted.more -= more[index] ?? 0));
    left = left.filter((counted) => counted.more > 0);
  };
  return {
    async refused(entry) {
      begin(Math.floor(clock() / HOUR));
      const written = count(entry);
      underWay.add(written);
      await written.finally(() => underWay.delete(written));
    },
    flush: () => (flushing = flushing.catch(() => undefined).then(writeCounts)),
  };
}
