import type { CellStatement } from '../../src/core/sql/statement.ts';
import { feedSamples } from './feed-samples.ts';

/** Arguments of statements that have too many of them to hold them themselves. */
const samples = new Map<unknown, readonly unknown[]>([...feedSamples]);

/** The arguments to try a statement with, which cover its text. */
export function samplesOf<Args>(statement: CellStatement<Args>): readonly Args[] {
  // What stands under a statement is of its arguments: feed-samples.ts sees to it.
  return [...statement.samples, ...((samples.get(statement) ?? []) as readonly Args[])];
}
