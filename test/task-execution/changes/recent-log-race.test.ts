import { expect, it } from 'vitest';
import type { Database } from '../../../src/core/database/db.ts';
import { RecentLog } from '../../../src/task-execution/changes/recent-log.ts';

interface Change {
  xid: number;
  seq: number;
}

/** A log in memory, because no real database holds back one of two reads at the wanted moment. */
function logInMemory() {
  const changes: Change[] = [];
  const held: { gate: Promise<void> | undefined; came: () => void } = {
    gate: undefined,
    came: () => undefined,
  };
  const head = (): string[] => {
    const last = changes.at(-1)?.xid ?? 99;
    return ['log', `${last + 1}:${last + 1}:`, '1', String(last)];
  };
  const rows = async (sql: string, params: readonly unknown[]): Promise<unknown[][]> => {
    if (sql.includes('change_mark m')) {
      held.came();
      await held.gate;
      return [['100:100:', 'f', 'f']];
    }
    if (!sql.includes('h.*')) return [head()];
    const [, low = [], after = [], high = []] = params as number[][];
    const found = changes
      .filter(({ xid, seq }) =>
        low.some(
          (from, i) =>
            xid < (high[i] ?? 0) && (xid > from || (xid === from && seq > (after[i] ?? 0))),
        ),
      )
      .slice(0, 2_000);
    const none = Array.from({ length: 10 }, () => null);
    if (found.length === 0) return [[...head(), ...none]];
    return found.map(({ xid, seq }) => [
      ...[...head(), String(xid), String(seq), String(seq), 'M'],
      ...[null, null, null, null, '2026-01-01 00:00:00+00', null],
    ]);
  };
  const read = async (sql: string, params: readonly unknown[]): Promise<object[]> =>
    (await rows(sql, params)).map((cells) => ({ cells }));
  return { changes, held, db: { rows, read } as unknown as Database };
}

it('tells no poll that nothing has changed while another one reads the log anew', async () => {
  const { changes, held, db } = logInMemory();
  const recent = new RecentLog(db, 1);
  const reader = { userId: 1, lists: [], homeDeptIds: [] };
  await recent.upToNow();
  changes.push({ xid: 100, seq: 1 });
  const first = await recent.upToNow();
  const place = { from: '100:100:', to: first.head.now, xid: 0, seq: 0 };
  const tell = () => first.beyond(place, reader);
  expect(tell()).toHaveLength(1);

  // More than are kept.
  for (let n = 0; n <= 12_000; n++) changes.push({ xid: 101, seq: 2 + n });
  let open = (): void => undefined;
  held.gate = new Promise((resolve) => (open = resolve));
  const begun = new Promise<void>((resolve) => (held.came = resolve));
  const second = recent.upToNow();
  await begun;
  expect(tell()).toBeUndefined();
  open();
  await second;
  expect(tell()).toBeUndefined();
});
