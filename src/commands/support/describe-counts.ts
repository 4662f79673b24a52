import type { ImportCounts } from '../../import/import-records.ts';

/** `5 records (unit 1, feed 4)`. */
export function describeCounts(counts: ImportCounts): string {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const parts = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`);
  return `${total} ${total === 1 ? 'record' : 'records'}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`;
}
