import { idOf, readPending, type Queries } from './migration-state.ts';
import { readMigrations } from './read-migrations.ts';

/** Creates or removes an index or a trigger; a primary key is an index, too. */
const CHANGES =
  /\b(CREATE|DROP)\s+(?:OR\s+REPLACE\s+)?(?:UNIQUE\s+)?(INDEX|TRIGGER)\s+(?:CONCURRENTLY\s+)?(?:IF\s+(?:NOT\s+)?EXISTS\s+)?"?(\w+)|CONSTRAINT\s+"?(\w+)"?\s+PRIMARY\s+KEY/g;

const COMMENTS_AND_BODIES = /--.*|\$(\w*)\$[\s\S]*?\$\1\$/g;

/** An index or a trigger, such as `index feed_pkey`. */
type Part = string;

/** What somebody has removed, left invalid or disabled since the migrations created it, and the migration or step of each. */
export interface LostParts {
  missing: Record<Part, string>;
  /** Indexes that PostgreSQL does not use, as after an interrupted CREATE INDEX CONCURRENTLY. */
  invalid: Record<Part, string>;
  disabled: Record<Part, string>;
}

/**
 * Compares the indexes and triggers of the database with those that its migrations create: without them rows that must be
 * unique are stored twice, changes are not logged, or lists are slow. Undefined where nothing is lost, or where a newer
 * version, which may have removed them, has migrated the database.
 */
export async function findLostParts(db: Queries): Promise<LostParts | undefined> {
  const { rows: applied } = await db.query<{ name: string }>(
    'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  const migrations = await readMigrations();
  const known = new Set(migrations.map(({ name }) => name));
  if (applied.some(({ name }) => !known.has(name))) return undefined;
  const pending = await readPending(db, migrations);
  const left = new Set(pending.steps.map(idOf));
  const created = new Map<Part, string>();
  for (const { name, sql, steps } of migrations) {
    follow(created, name, sql);
    for (const step of steps) if (!left.has(idOf(step))) follow(created, idOf(step), step.sql);
  }
  const { rows } = await db.query<{ part: Part; valid: boolean; enabled: boolean }>(
    `SELECT 'index ' || c.relname AS part, i.indisvalid AND i.indisready AS valid, true AS enabled FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE c.relnamespace = current_schema()::regnamespace
     UNION ALL SELECT 'trigger ' || t.tgname, true, t.tgenabled IN ('O', 'A') FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
       WHERE c.relnamespace = current_schema()::regnamespace AND NOT t.tgisinternal`,
  );
  const found = new Map(rows.map((row) => [row.part, row]));
  const those = (isLost: (part: Part) => boolean): Record<Part, string> =>
    Object.fromEntries([...created].filter(([part]) => isLost(part)));
  const lost = {
    missing: those((part) => !found.has(part)),
    invalid: those((part) => found.get(part)?.valid === false),
    disabled: those((part) => found.get(part)?.enabled === false),
  };
  return Object.values(lost).some((parts) => Object.keys(parts).length > 0) ? lost : undefined;
}

/** What is created after a migration or a step, and where. */
function follow(created: Map<Part, string>, where: string, sql: string): void {
  for (const [, verb, kind, name, key] of sql.replace(COMMENTS_AND_BODIES, '').matchAll(CHANGES)) {
    const part = key === undefined ? `${(kind ?? '').toLowerCase()} ${name ?? ''}` : `index ${key}`;
    if (verb === 'DROP') created.delete(part);
    else created.set(part, where);
  }
}
