import type { ImportCounts } from '../../import/import-records.ts';

type Count = ImportCounts[string];

/** The sum over all kinds. */
export function sumOf(counts: ImportCounts): Count {
  const sum = { new: 0, changed: 0, same: 0 };
  for (const count of Object.values(counts)) {
    sum.new += count.new;
    sum.changed += count.changed;
    sum.same += count.same;
  }
  return sum;
}

/** `5 records: 1 new, 1 changed, 3 the same (unit: 1 the same; feed: 1 new, 1 changed, 2 the same)`. */
export function describeCounts(counts: ImportCounts): string {
  const sum = sumOf(counts);
  const total = sum.new + sum.changed + sum.same;
  const records = `${total} ${total === 1 ? 'record' : 'records'}`;
  if (total === 0) return records;
  const kinds = Object.entries(counts).map(([kind, count]) => `${kind}: ${describe(count)}`);
  return `${records}: ${describe(sum)} (${kinds.join('; ')})`;
}

function describe(count: Count): string {
  return [
    ...(count.new > 0 ? [`${count.new} new`] : []),
    ...(count.changed > 0 ? [`${count.changed} changed`] : []),
    ...(count.same > 0 ? [`${count.same} the same`] : []),
  ].join(', ');
}
