import type { Database } from '../../src/core/db.ts';

/** Puts something between operations and the statements that they run with `rows` and `read`; returns what takes it away. */
export function interceptRows(db: Database, between: (run: Database['rows']) => Database['rows']): () => void {
  const { rows, read } = db;
  Object.assign(db, { rows: between(rows), read: between(read) });
  return () => void Object.assign(db, { rows, read });
}
