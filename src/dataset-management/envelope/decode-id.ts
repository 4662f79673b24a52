import { NotFoundError } from '../../core/errors.ts';
import { decodeGlobalId } from '../../core/global-id.ts';
import { parseUuid } from '../../core/uuid.ts';

/** The UUID in a global id. Throws NotFoundError for an id of another kind; `entity` is its name in the message. */
export function decodeId(typename: string, id: string, entity = typename): string {
  const uuid = parseUuid(decodeGlobalId(typename, id) ?? '');
  if (uuid === undefined) throw new NotFoundError(entity);
  return uuid;
}
