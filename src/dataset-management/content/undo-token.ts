import { parseUuid } from '../../core/uuid.ts';

const kinds = ['workspace', 'dataset', 'image', 'project', 'version'] as const;
/** Kinds of objects that can be deleted and restored. */
export type UndoKind = (typeof kinds)[number];

/** How long a deletion can be undone: as long as the bytes are kept (D-66). */
export const UNDO_MS = 30 * 24 * 3600 * 1000;

export interface Deletion {
  kind: UndoKind;
  id: string;
  deletedAt: Date;
}

/** Identifies a deletion. It is not secret and grants nothing: whoever uses it needs the right to delete. */
export function makeUndoToken(kind: UndoKind, id: string, deletedAt: Date): string {
  return Buffer.from(JSON.stringify([kind, id, deletedAt.getTime()])).toString('base64url');
}

/** The deletion that a token names; undefined when it is damaged. */
export function readUndoToken(token: string): Deletion | undefined {
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch {
    return undefined;
  }
  const parts: unknown[] = Array.isArray(decoded) ? decoded : [];
  const [named, id, time] = parts;
  const kind = kinds.find((one) => one === named);
  const uuid = typeof id === 'string' ? parseUuid(id) : undefined;
  if (kind === undefined || uuid === undefined || typeof time !== 'number') return undefined;
  const deletedAt = new Date(time);
  // Of a number that is no time, such as one beyond the year 275760, nothing is left or something else.
  return deletedAt.getTime() === time ? { kind, id: uuid, deletedAt } : undefined;
}
