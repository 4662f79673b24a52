import type { Database } from '../../src/core/database/db.ts';
import type { Run } from '../../src/core/wire/wire.ts';

/** Puts something between operations and the statements that they run with `rows` and `read`; returns what takes it away. */
export function interceptRows(
  db: Database,
  between: <Result>(run: Run<Result>) => Run<Result>,
): () => void {
  const { rows, read } = db;
  Object.assign(db, { rows: between(rows), read: between(read) });
  return () => void Object.assign(db, { rows, read });
}
