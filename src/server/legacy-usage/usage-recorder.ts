import type { Services, UsageNote, UsageRecorder } from '../../core/context/context.ts';
import { OTHER } from './usage-names.ts';
import { writeUsage, type UsageRow, type WrittenClients } from './write-usage.ts';

/** Most rows held in memory; further ones are not counted until the next flush. */
const MAX_PENDING = 10_000;
/** Most client names of a domain between two flushes; the others are counted together. */
const MAX_CLIENTS = 50;

/** Makes a recorder with bounded memory. Only callers with a session or an API key can add a client name. */
export function createUsageRecorder({
  db,
  clock,
  log,
}: Pick<Services, 'db' | 'clock' | 'log'>): UsageRecorder {
  let pending = new Map<string, UsageRow>();
  let clients = new Map<number | null, Set<string>>();
  const written: WrittenClients = new Map();
  let lost = 0;
  let flushing: Promise<void> = Promise.resolve();

  const clientOf = (domainId: number | null, name: string): string => {
    let names = clients.get(domainId);
    if (!names) clients.set(domainId, (names = new Set()));
    if (names.has(name)) return name;
    if (names.size >= MAX_CLIENTS) return OTHER;
    names.add(name);
    return name;
  };
  const add = (row: UsageRow): void => {
    const key = `${row.domainId} ${row.day} ${row.method} ${row.path}\n${row.client}\n${row.parameter}`;
    const known = pending.get(key);
    if (known) {
      known.hits += row.hits;
      known.lastSeen = Math.max(known.lastSeen, row.lastSeen);
    } else if (pending.size < MAX_PENDING) pending.set(key, row);
    else lost += row.hits;
  };
  const count = (
    { domainId, method, path, client: name }: UsageNote,
    parameters: readonly string[],
  ): void => {
    const lastSeen = clock();
    const day = new Date(lastSeen).toISOString().slice(0, 10);
    const client = clientOf(domainId, name);
    for (const parameter of parameters)
      add({ domainId, day, method, path, client, parameter, hits: 1, lastSeen });
  };
  const write = async (): Promise<void> => {
    if (lost > 0)
      log.warn(
        { lost },
        'legacy usage was not counted: too many different names between two writes',
      );
    const batch = [...pending.values()];
    pending = new Map();
    clients = new Map();
    lost = 0;
    if (batch.length === 0) return;
    try {
      await writeUsage(db, batch, { maxClients: MAX_CLIENTS, written });
    } catch (error) {
      batch.forEach(add);
      throw error;
    }
  };
  return {
    note: (call) => count(call, ['', ...call.parameters]),
    noteParameters: (call) => count(call, call.parameters),
    flush: () => (flushing = flushing.catch(() => undefined).then(write)),
  };
}
