import type { List } from '../../src/core/lists/list.sql.ts';
import type { CellStatement } from '../../src/core/sql/statement.ts';
import { feedSamples } from './feed-samples.ts';
import { listSamples } from './list-samples.ts';

/** The arguments to try each statement with, which cover its text, given all lists. */
export function samplesWith(
  lists: readonly List<unknown, Record<string, never>>[],
): (statement: CellStatement<unknown>) => readonly unknown[] {
  /** Of statements that have too many to hold them themselves. */
  const samples = new Map([...feedSamples, ...listSamples(lists)]);
  return (statement) => [...statement.samples, ...(samples.get(statement) ?? [])];
}
