import { readGlobalId } from '../core/global-id.ts';

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** The uuid of a global id of this type; undefined when it is none. */
export function decodeId(type: 'ExternalTask' | 'TaskTemplate', id: string): string | undefined {
  const named = readGlobalId(id);
  return named?.typename === type && isUuid(named.id) ? named.id : undefined;
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
