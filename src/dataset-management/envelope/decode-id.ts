import { NotFoundError } from '../../core/errors.ts';
import { decodeGlobalId } from '../../core/global-id.ts';
import { parseUuid } from '../../core/uuid.ts';

/** The UUID in a global id. Throws NotFoundError when it is no id of this kind; `entity` is how people call it. */
export function decodeId(typename: string, id: string, entity = typename): string {
  const uuid = parseUuid(decodeGlobalId(typename, id) ?? '');
  if (uuid === undefined) throw new NotFoundError(entity);
  return uuid;
}
