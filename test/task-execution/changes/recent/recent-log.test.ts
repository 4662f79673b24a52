import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import type { RecentChanges } from '../../../../src/core/context/change-follower.ts';
import type { Database } from '../../../../src/core/database/db.ts';
import { RecentLog } from '../../../../src/task-execution/changes/recent/recent-log.ts';

afterEach(() => vi.restoreAllMocks());

interface Change {
  xid: number;
  seq: number;
}

/** A log in memory: no real database holds back one of two reads at the wanted moment, or gives its transactions wanted numbers. */
function logInMemory() {
  const log = { id: 'log', changes: [] as Change[], open: new Set<number>() };
  const held: { gate: Promise<void> | undefined; came: () => void } = {
    gate: undefined,
    came: () => undefined,
  };
  const pages = { read: 0 };
  const head = (): string[] => {
    const committed = log.changes.filter(({ xid }) => !log.open.has(xid));
    const last = committed.reduce((most, { xid }) => Math.max(most, xid), 99);
    const open = [...log.open].filter((xid) => xid <= last);
    const now = `${Math.min(last + 1, ...open)}:${last + 1}:${open.join()}`;
    return [log.id, now, '1', String(last)];
  };
  const rows = async (sql: string, params: readonly unknown[]): Promise<unknown[][]> => {
    if (sql.includes('change_mark m')) {
      held.came();
      await held.gate;
      return [['100:100:', 'f', 'f']];
    }
    const isCount = sql.startsWith('SELECT count(*)');
    if (!sql.includes('h.*') && !isCount) return [head()];
    const [low = [], after = [], high = []] = (params as number[][]).slice(isCount ? 0 : 1);
    const found = log.changes
      .filter(
        ({ xid, seq }) =>
          !log.open.has(xid) &&
          low.some(
            (from, i) =>
              xid < (high[i] ?? 0) && (xid > from || (xid === from && seq > (after[i] ?? 0))),
          ),
      )
      .sort(inLogOrder);
    if (isCount) return [[String(Math.min(found.length, Number(params.at(-1))))]];
    pages.read++;
    const end = head();
    if (found.length === 0) return [[...end, ...Array.from({ length: 10 }, () => null)]];
    return found
      .slice(0, 2_000)
      .map(({ xid, seq }) => [
        ...[...end, String(xid), String(seq), String(seq), 'M'],
        ...[null, null, null, null, '2026-01-01 00:00:00+00', null],
      ]);
  };
  const read = async (sql: string, params: readonly unknown[]): Promise<object[]> =>
    (await rows(sql, params)).map((cells) => ({ cells }));
  return { log, held, pages, recent: new RecentLog({ rows, read } as unknown as Database, 1) };
}

const inLogOrder = (a: Change, b: Change): number => a.xid - b.xid || a.seq - b.seq;

/** What a read knows to have been written after a position. */
const beyond = (read: RecentChanges, from: string, most = Infinity) =>
  read.beyond(
    { from, to: read.head.now, xid: 0, seq: 0 },
    { userId: 1, lists: [], homeDeptIds: [] },
    most,
  );

it('tells whether a read has continued the one before, even if another server has come as far', async () => {
  const { log, held, recent } = logInMemory();
  log.changes = [{ xid: 100, seq: 1 }];
  const { log: first } = await recent.upToNow();
  log.changes.push({ xid: 101, seq: 2 });
  const before = await recent.upToNow();
  expect(before.log).toBe(first);
  expect(recent.known()).toEqual(before);
  // A new primary has lost a transaction, and writes others while the log is read anew.
  log.changes = [{ xid: 100, seq: 1 }];
  let open = (): void => undefined;
  held.gate = new Promise((resolve) => (open = resolve));
  const came = new Promise<void>((resolve) => (held.came = resolve));
  const reading = recent.upToNow();
  await came;
  expect(recent.known()).toBeUndefined();
  log.changes.push({ xid: 101, seq: 3 }, { xid: 102, seq: 4 });
  open();
  const after = await reading;
  expect(after.log).not.toBe(before.log);
  expect(after.head.now).toBe('103:103:');
});

it('tells no poll that nothing has changed while another one reads the log anew', async () => {
  const { log, held, recent } = logInMemory();
  await recent.upToNow();
  log.changes.push({ xid: 100, seq: 1 });
  const first = await recent.upToNow();
  expect(beyond(first, '100:100:')).toHaveLength(1);

  log.id = 'another';
  let open = (): void => undefined;
  held.gate = new Promise((resolve) => (open = resolve));
  const begun = new Promise<void>((resolve) => (held.came = resolve));
  const second = recent.upToNow();
  await begun;
  expect(beyond(first, '100:100:')).toBeUndefined();
  open();
  await second;
  expect(beyond(first, '100:100:')).toHaveLength(1);
});

it('knows nothing before more changes at once than are kept, and what comes after them', async () => {
  const { log, pages, recent } = logInMemory();
  await recent.upToNow();
  for (let seq = 0; seq < 60_000; seq++) log.changes.push({ xid: 101, seq });
  const before = pages.read;
  const flooded = await recent.upToNow();
  // They are not read, but for the first.
  expect(pages.read - before).toBe(1);
  log.changes.push({ xid: 102, seq: 0 });
  const last = await recent.upToNow();
  expect(beyond(last, '100:100:')).toBeUndefined();
  expect(beyond(last, flooded.head.now)).toHaveLength(1);
});

it('forgets the oldest of more changes than are kept', async () => {
  const { log, recent } = logInMemory();
  const clock = vi.spyOn(performance, 'now');
  const positions: string[] = [];
  let last = await recent.upToNow();
  for (let xid = 100; xid < 104; xid++) {
    positions.push(last.head.now);
    // What is read within a second is forgotten together.
    clock.mockReturnValue(performance.now() + 1_500);
    for (let seq = 0; seq < 15_000; seq++) log.changes.push({ xid, seq });
    last = await recent.upToNow();
  }
  const found = positions.map((position) => beyond(last, position)?.length);
  expect(found).toEqual([undefined, 45_000, 30_000, 15_000]);
  expect(recent.kept).toBe(45_000);
});

it('tells the first changes after a position in log order, whenever they were committed', () =>
  fc.assert(
    fc.asyncProperty(
      // One transaction after the other begins, and is committed after so many more, with so many changes.
      fc.array(fc.record({ lasts: fc.nat(4), changes: fc.nat(3) }), { maxLength: 15 }),
      fc.integer({ min: 1, max: 10 }),
      async (transactions, most) => {
        const { log, recent } = logInMemory();
        const steps: { position: string; seen: readonly Change[] }[] = [];
        let last = await recent.upToNow();
        for (let step = 0; step < transactions.length + 4; step++) {
          const seen = log.changes.filter(({ xid }) => !log.open.has(xid));
          steps.push({ position: last.head.now, seen });
          const begun = transactions[step];
          if (begun) log.open.add(100 + step);
          for (let seq = 0; seq < (begun?.changes ?? 0); seq++)
            log.changes.push({ xid: 100 + step, seq });
          transactions.forEach(({ lasts }, i) => i + lasts <= step && log.open.delete(100 + i));
          last = await recent.upToNow();
        }
        for (const { position, seen } of steps) {
          const expected = log.changes.filter((change) => !seen.includes(change)).sort(inLogOrder);
          const found = beyond(last, position, most)?.map(({ xid, seq }) => ({ xid, seq }));
          expect(found).toEqual(expected.slice(0, most));
        }
      },
    ),
  ));
