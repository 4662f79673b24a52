import type { ClientBase } from 'pg';

export interface AuditEntry {
  /** `user:<id>`, `operator` for the command line and imports, `unknown` for whoever could not sign in. */
  actor: string;
  /** Name of the operation. */
  action: string;
  /** Ids and names of ours, never what is secret or what a stranger typed: it may be a password in the wrong field. */
  target: string;
  at: Date;
}

/** Puts on record who did something that nobody may do unseen; within the transaction that does it. */
export async function writeAuditLog(
  client: ClientBase,
  { actor, action, target, at }: AuditEntry,
): Promise<void> {
  await client.query('INSERT INTO audit_log (actor, action, target, at) VALUES ($1, $2, $3, $4)', [
    actor,
    action,
    target,
    at,
  ]);
}
