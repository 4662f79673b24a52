import type { Database } from '../database/db.ts';

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

/** Writes an entry, in the transaction of the write if it has one; returns its id. */
export async function writeAuditLog(
  { prisma }: Pick<Database, 'prisma'>,
  entry: AuditEntry,
): Promise<bigint> {
  const { id } = await prisma.auditLog.create({
    data: {
      ...entry,
      userId: entry.userId ?? null,
      domainId: entry.domainId ?? null,
      address: entry.address ?? null,
      requestId: entry.requestId ?? null,
      target: entry.target ?? '',
      objects: (entry.objects ?? []).slice(0, MAX_OBJECTS),
    },
    select: { id: true },
  });
  return id;
}
