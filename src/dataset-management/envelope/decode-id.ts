import { encodeGlobalID } from '@pothos/plugin-relay';
import { NotFoundError } from '../../core/errors.ts';
import { readGlobalId } from '../../core/global-id.ts';
import { parseUuid } from './input-parameters.ts';

/** The UUID in a global id. Throws NotFoundError when it is no id of this kind; `entity` is how people call it. */
export function decodeId(typename: string, id: string, entity = typename): string {
  const named = readGlobalId(id);
  const uuid = named?.typename === typename ? parseUuid(named.id) : undefined;
  if (uuid === undefined) throw new NotFoundError(entity);
  return uuid;
}

/** The global id of an object of this kind. */
export function encodeId(typename: string, uuid: string): string {
  return encodeGlobalID(typename, uuid);
}
