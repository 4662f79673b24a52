/** Tables whose rows neither tell anybody when they are written (NOTIFY), but for the change log, nor take rows along that do. */
const SILENT = new Set([
  'audit_log',
  'change_log',
  'change_log_state',
  'change_mark',
  'external_task',
  'feed',
  'feed_assignment',
  'feed_attribute',
  'feed_count',
  'feed_count_delta',
  'feed_listing',
  'feed_tag',
  'feed_user_state',
  'idempotency_record',
  'legacy_usage',
]);

/** The use of a session, which never shortens it: nobody is told. */
const USE =
  /^UPDATE session s SET last_seen_at = \$\d+, expires_at = GREATEST\(s\.expires_at, LEAST\(\$\d+, s\.absolute_expires_at\)\)\s+FROM [^;]*$/;

/** Where a statement only locks rows, or says what becomes of a row that is there. */
const NO_WRITE = /\bFOR\s+(?:NO\s+KEY\s+)?UPDATE\b|\bDO\s+UPDATE\s+SET\b/gi;
/** A write, and its table. */
const WRITE =
  /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO|TRUNCATE|COPY)\b\s*(?:ONLY\s+)?(?:"?public"?\s*\.\s*)?"?(\w*)/gi;
const NONE = /^\s*(?:SELECT|WITH|BEGIN|COMMIT|ROLLBACK)\b[^;]*$/i;
/** Most texts whose answer is remembered. */
const MOST_KNOWN = 500;

const known = new Map<string, boolean>();

/**
 * May a query for `pg` change what this process is told of, such as sessions? Reads may not, and neither may writes of
 * the tables of everyday work, which a store writes many times in a second. True in any doubt.
 */
export function mayTell(query: unknown): boolean {
  if (typeof query === 'string') return mayText(query);
  if (typeof query !== 'object' || query === null) return true;
  if ('texts' in query && Array.isArray(query.texts)) return query.texts.some(mayTell);
  return !('text' in query && typeof query.text === 'string') || mayText(query.text);
}

function mayText(text: string): boolean {
  let may = known.get(text);
  if (may === undefined) {
    const writes = [...text.replace(NO_WRITE, '').matchAll(WRITE)];
    may =
      writes.length === 0
        ? !NONE.test(text)
        : !USE.test(text) &&
          (text.includes(';') || writes.some(([, table]) => !SILENT.has(table ?? '')));
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(text, may);
  }
  return may;
}
