import type { RowOf } from '../../core/sql/types.ts';
import { epochMillis } from '../../core/time/instant-text.ts';
import type { auditRow } from './audit.sql.ts';

/** An entry of the audit log as administrators see it. */
export type AuditLogEntry = RowOf<typeof auditRow>;

export interface ExportedEntry extends Omit<AuditLogEntry, 'action' | 'objects' | 'target'> {
  operation: string;
  objects: readonly string[];
  detail: string | null;
}

/** The entry as a line of an export. */
export function exportedEntry(entry: AuditLogEntry): ExportedEntry {
  const { action, objects, target, ...rest } = entry;
  return {
    ...rest,
    at: timeOf(entry),
    operation: action,
    objects: objects ?? [],
    detail: target || null,
  };
}

/** When it happened, in ISO 8601. */
export function timeOf({ at }: AuditLogEntry): string {
  return new Date(epochMillis(at)).toISOString();
}
