/**
 * The status that clients see: `O` when an open feed ended more than the configured days ago (D-50), that is, before
 * `:overdueBefore`. Works for any row with a status and an end: pass the SQL of both.
 */
export function effectiveStatusSql(status: string, end: string): string {
  return `CASE WHEN ${status} IN ('N', 'R', 'P') AND ${end} < :overdueBefore::timestamptz THEN 'O' ELSE ${status} END`;
}
