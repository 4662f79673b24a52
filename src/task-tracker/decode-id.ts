import { decodeGlobalID } from '@pothos/plugin-relay';

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** The uuid of a global id of this type; undefined when it is none. */
export function decodeId(type: 'ExternalTask' | 'TaskTemplate', id: string): string | undefined {
  try {
    const decoded = decodeGlobalID(id);
    return decoded.typename === type && isUuid(decoded.id) ? decoded.id : undefined;
  } catch {
    return undefined;
  }
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
