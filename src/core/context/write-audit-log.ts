import type { Database } from '../database/db.ts';
import { explainFailure } from '../database/explain-failure.ts';
import { addAuditEntry } from '../sql/writes.sql.ts';

/** How a write came in. */
export type AuditSurface = 'GRAPHQL' | 'REST' | 'COMMAND' | 'IMPORT';

/** DONE also of a replay and of what changed nothing; FAILED through a fault of the gateway. */
export type AuditOutcome = 'DONE' | 'REFUSED' | 'FAILED';

/** Who does what, and from where. */
export interface AuditFacts {
  /** `user:<id>`, `customer:<id>`, `scim:<id>`, `operator` for the command line and imports, `unknown` without a session. */
  actor: string;
  userId?: number | null | undefined;
  /** Whose administrators see the entry. */
  domainId?: number | null | undefined;
  surface: AuditSurface;
  /** Name of the operation. */
  action: string;
  /** `<type>:<id>` of what it is about, only our own ids. */
  objects?: readonly string[];
  /**
   * More about it. Only our own ids and names, nothing secret and nothing that a stranger typed: it may be a password in
   * the wrong field.
   */
  target?: string | undefined;
  address?: string | null | undefined;
  requestId?: string | null | undefined;
}

/** An entry of the audit log. */
export interface AuditEntry extends AuditFacts {
  outcome?: AuditOutcome;
  /** Code of the refusal. */
  code?: string | null;
  at: Date;
}

/** Most objects that an entry names. */
export const MAX_OBJECTS = 100;

/** The entry as it is stored. */
function storedEntry(entry: AuditEntry): Parameters<typeof addAuditEntry.build>[0] {
  const { actor, userId, domainId, surface, action, objects, target, address, requestId } = entry;
  const { outcome = 'DONE', code = null, at } = entry;
  return {
    ...{ actor, surface, action, outcome, code, at },
    userId: userId ?? null,
    domainId: domainId ?? null,
    address: address ?? null,
    requestId: requestId ?? null,
    target: target ?? '',
    objects: (objects ?? []).slice(0, MAX_OBJECTS),
  };
}

/**
 * Writes an entry, in the transaction of the write if it has one; returns its id. Throws what a locked domain says to
 * writes.
 */
export async function writeAuditLog(
  db: Pick<Database, 'rows'>,
  entry: AuditEntry,
): Promise<bigint> {
  try {
    const added = await addAuditEntry.first(db, storedEntry(entry));
    return BigInt(added?.id ?? 0);
  } catch (error) {
    throw explainFailure(error);
  }
}
