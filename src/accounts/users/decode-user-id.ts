import { NotFoundError } from '../../core/errors.ts';
import { decodeGlobalId } from '../../core/global-id.ts';

/** The key of a user in a global id. Throws NotFoundError for anything else. */
export function decodeUserId(globalId: string): number {
  const id = parseRowId(decodeGlobalId('User', globalId) ?? '');
  if (id === undefined) throw new NotFoundError('User');
  return id;
}

/** The key of a user or a department, as ids that clients send hold it. */
export function parseRowId(id: string): number | undefined {
  return /^[1-9]\d{0,9}$/.test(id) && Number(id) <= 2_147_483_647 ? Number(id) : undefined;
}
