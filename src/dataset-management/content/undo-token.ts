import { parseUuid } from '../../core/uuid.ts';

/** What can be deleted and brought back. */
export type UndoKind = 'workspace' | 'dataset' | 'image';

/** Names a deletion. It is no secret and grants nothing: who uses it needs the right to delete. */
export function makeUndoToken(kind: UndoKind, id: string, deletedAt: Date): string {
  return Buffer.from(JSON.stringify([kind, id, deletedAt.getTime()])).toString('base64url');
}

/** The deletion that a token names; undefined when it is damaged. */
export function readUndoToken(
  token: string,
): { kind: UndoKind; id: string; deletedAt: Date } | undefined {
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch {
    return undefined;
  }
  const parts: unknown[] = Array.isArray(decoded) ? decoded : [];
  const [kind, id, time] = parts;
  const uuid = typeof id === 'string' ? parseUuid(id) : undefined;
  if (
    (kind !== 'workspace' && kind !== 'dataset' && kind !== 'image') ||
    uuid === undefined ||
    typeof time !== 'number' ||
    !Number.isSafeInteger(time)
  )
    return undefined;
  return { kind, id: uuid, deletedAt: new Date(time) };
}
