import { setImmediate as otherWork } from 'node:timers/promises';

/** Rows that are presented at once: some milliseconds of work, and one statement of each kind. */
const AT_ONCE = 500;

/** Presents the rows of a whole list, in their order; other requests go on in between, however many they are. */
export async function presentRows<Row, Shown>(
  rows: readonly Row[],
  present: (row: Row) => Promise<Shown>,
): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    if (at > 0) await otherWork();
    shown.push(...(await Promise.all(rows.slice(at, at + AT_ONCE).map(present))));
  }
  return shown;
}
